"""What the collector's tests share: running it, watching what it leaves, reading its zip."""
import gzip, json, os, shutil, signal, subprocess, tempfile, threading, time, uuid, zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
SCRIPT = os.path.join(HERE, "..", "..", "collector", "collect.sh")
ROOT = os.geteuid() == 0
CORONER = os.environ.get("CORONER_BIN")


class Skip(Exception):
    pass


def need(condition, why):
    if not condition:
        raise Skip(why)


def tool(name):
    path = shutil.which(name)
    need(path, f"{name} is not installed")
    return path


class Run:
    """One run of the collector with a temp folder and an output folder of its own."""

    def __init__(self, shell=("dash",), args=("--quick",), window=2, env=None, path=None, prefix=(), out=None, temp=True, user=None):
        self.mark = uuid.uuid4().hex
        self.base = tempfile.mkdtemp(prefix="collector-test-")
        os.chmod(self.base, 0o755)
        self.out = out or os.path.join(self.base, "out")
        self.tmp = os.path.join(self.base, "tmp")
        for d in (self.out, self.tmp):
            os.makedirs(d, exist_ok=True)
            if user is not None:
                os.chown(d, user, user)
        full = dict(os.environ, CORONER_WINDOW=str(window), CORONER_TEST_MARK=self.mark, **(env or {}))
        full.pop("TMPDIR", None)
        if temp:
            full["TMPDIR"] = self.tmp if temp is True else temp
        if path is not None:
            full["PATH"] = path
        if window is None:
            del full["CORONER_WINDOW"]
        shell = [shutil.which(shell[0]) or shell[0], *shell[1:]]
        self.began = time.time()
        self.proc = subprocess.Popen([*prefix, *shell, SCRIPT, *args, "--output", self.out], env=full, cwd=self.base, stdin=subprocess.DEVNULL,
                                     stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, user=user, extra_groups=[] if user is not None else None)
        self.lines, self.seen = [], threading.Condition()
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()

    def _read(self):
        for line in self.proc.stderr:
            with self.seen:
                self.lines.append(line)
                self.seen.notify_all()

    def wait_for(self, text, limit=60):
        """Waits until a progress line holds the text."""
        end = time.time() + limit
        with self.seen:
            while not any(text in l for l in self.lines):
                assert time.time() < end, f"never said {text!r}: {self.lines}"
                self.seen.wait(0.2)

    def finish(self, limit, code=0):
        """Waits for the end within `limit` seconds; then nothing may be left of it, neither process nor temp file."""
        try:
            self.proc.wait(limit)
        except subprocess.TimeoutExpired:
            self.slay()
            raise AssertionError(f"still running after {limit} s: {self.lines[-3:]}")
        self.took = time.time() - self.began
        self.reader.join(5)
        self.said = "".join(self.lines)
        assert self.proc.returncode == code, f"exit status {self.proc.returncode}, expected {code}: {self.said}"
        self.assert_clean()
        return self

    def alive(self):
        found = []
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{pid}/environ", "rb") as f:
                    if self.mark.encode() in f.read():
                        found.append(int(pid))
            except OSError:
                pass
        return found

    def assert_clean(self, patience=0.0):
        end = time.time() + patience
        while True:
            left = self.alive()
            files = os.listdir(self.tmp) + [f for f in os.listdir(self.out) if f.startswith(".coroner")]
            if os.path.isdir("/dev/shm"):
                files += [f for f in os.listdir("/dev/shm") if f.startswith(f"coroner.{self.proc.pid}.")]
            if not left and not files:
                return
            if time.time() > end:
                names = [open(f"/proc/{p}/cmdline").read().replace("\0", " ") for p in left if os.path.exists(f"/proc/{p}/cmdline")]
                self.slay()
                raise AssertionError(f"left behind: processes {names}, files {files}")
            time.sleep(0.2)

    def slay(self):
        for pid in self.alive():
            try:
                os.kill(pid, signal.SIGKILL)
            except OSError:
                pass

    def zip_path(self):
        zips = [f for f in os.listdir(self.out) if f.endswith(".zip")]
        assert len(zips) == 1, f"expected one zip, found {os.listdir(self.out)}: {self.said}"
        return os.path.join(self.out, zips[0])

    def bundle(self):
        return Bundle(self.zip_path())

    def done(self):
        shutil.rmtree(self.base, ignore_errors=True)


class Bundle:
    """A zip, checked by unzip, by python and (with CORONER_BIN) by the analyzer."""

    def __init__(self, path):
        self.path = path
        with zipfile.ZipFile(path) as z:
            assert z.testzip() is None, "damaged entry"
            self.files = {i.filename: z.read(i) for i in z.infolist() if not i.is_dir()}
            assert len(z.namelist()) == len(set(z.namelist())), "duplicate entries"
        if shutil.which("unzip"):
            r = subprocess.run(["unzip", "-tqq", path], capture_output=True, text=True)
            assert r.returncode == 0, f"unzip -t: {r.stdout}{r.stderr}"
        for name in self.files:
            assert not name.startswith("/") and ".." not in name.split("/") and "\\" not in name, name
        self.manifest = json.loads(self.files["manifest.json"])
        assert self.manifest["schema"] == "coroner.manifest/1"
        if CORONER:
            with tempfile.TemporaryDirectory() as d:
                r = subprocess.run([CORONER, "analyze", path, "-o", d, "--format", "json"], capture_output=True, text=True, timeout=120)
                assert r.returncode == 0, f"analyze: {r.stdout}{r.stderr}"
                self.report = json.load(open(os.path.join(d, next(f for f in os.listdir(d) if f.endswith(".json")))))

    def text(self, name):
        return self.files[name].decode("utf-8", "replace")

    def steps(self, part):
        return [s for s in self.manifest["steps"] if part in s["file"] or part == s["id"]]

    def holding(self, needle):
        """Names of entries that hold the bytes, inflated once more where they are gzip themselves."""
        found = []
        for name, data in self.files.items():
            if needle in name.encode() or needle in data or (data[:2] == b"\x1f\x8b" and needle in gzip.decompress(data)):
                found.append(name)
        return found

    def samples(self, name):
        return [float(l.split()[1]) for l in self.text(name).splitlines() if l.startswith("timestamp:")]

    def assert_whole(self, window):
        """The parts that every complete bundle has, wherever it was made."""
        for name in ("timestamp", "proc/stat", "proc/softirqs", "proc/interrupts", "proc/meminfo", "proc/vmstat", "proc/uptime", "proc/diskstats", "proc/net/softnet_stat", "proc/net/netstat"):
            for t in ("t0", "t1"):
                assert f"{t}/{name}" in self.files, f"no {t}/{name}"
        up = [float(self.text(f"{t}/proc/uptime").split()[0]) for t in ("t0", "t1")]
        assert window - 0.5 <= up[1] - up[0] <= window + 40, f"snapshots {up[1] - up[0]:.1f} s apart"
        for name in ("proc_stat", "proc_softirqs", "proc_net_softnet_stat", "proc_vmstat", "proc_pid_schedstat"):
            at = self.samples(f"series/{name}.txt")
            assert len(at) == window + 1, f"{name}: {len(at)} samples in a window of {window} s"
            assert all(b - a > 0.9 for a, b in zip(at, at[1:])), f"{name}: samples at {at}"
        assert abs(at[0] - float(self.text("t0/timestamp"))) < 20
        m = self.manifest
        assert m["complete"] is True and m["cut_short"] is None
        assert m["own"]["cpu_s"] > 0 and m["duration_s"] >= window
        for s in m["steps"]:
            if s["file"] in self.files:
                assert s["bytes"] == len(self.files[s["file"]]) or s["file"].startswith("log/pack"), s
            else:
                assert s["absent"] or s["file"].startswith("log/"), f"neither there nor said why: {s}"


def write_tool(folder, name, body):
    path = os.path.join(folder, name)
    with open(path, "w") as f:
        f.write("#!/bin/sh\n" + body + "\n")
    os.chmod(path, 0o755)


def only(folder, names):
    """A PATH that holds just these tools."""
    os.makedirs(folder, exist_ok=True)
    for n in names:
        p = shutil.which(n)
        if p and not os.path.exists(os.path.join(folder, n)):
            os.symlink(os.path.realpath(p) if "busybox" not in os.path.realpath(p) else p, os.path.join(folder, n))
    return folder

//! Go processes.

use super::facts;

facts! {
    go_process: Go {
        VERSION "go_process.version": text, "Go version" <- ["curl http://POD/metrics (go_info)", "go version BINARY"];
        GOMAXPROCS "go_process.gomaxprocs": num Count, "Ps of the runtime" <- ["curl http://POD/debug/pprof/trace?seconds=5", "curl http://POD/metrics"];
    }
}

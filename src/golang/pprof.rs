//! pprof profiles in protobuf form, gzip or plain: what was sampled, how much in all, where from.
//! What is true of every function stands in [`super::pprof_top`].

use std::collections::BTreeMap;
use std::io::Read;

use flate2::read::MultiGzDecoder;

use super::pprof_proto::{Raw, RawType};
use super::trace::Note;
use super::wire::{to_i64, to_u64};

/// A profile is read up to this size after decompression.
const MAX_BYTES: u64 = 64 << 20;
const GZIP: [u8; 2] = [0x1f, 0x8b];
/// Values of one label key that are told apart.
const MAX_LABEL_VALUES: usize = 1000;

#[derive(Debug, thiserror::Error)]
pub enum ProfileError {
    #[error("not a pprof profile")]
    NotAProfile,
    #[error("damaged gzip: {0}")]
    Gzip(std::io::Error),
}

/// What the sample types make a profile to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProfileKind {
    Cpu,
    /// Memory by what is in use.
    Heap,
    /// The same data, meant to be read by what was ever allocated.
    Allocs,
    Goroutine,
    ThreadCreate,
    /// Block or mutex: the same sample types; see [`Profile::contention`].
    Contention,
    /// Wall-clock time of all goroutines, as `fgprof` writes it.
    Wall,
    Other,
}

/// Which of the two profiles with contentions and delay this is, judged by the functions at the leaf: a
/// mutex profile charges who unlocks, a block profile who waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Contention {
    Block,
    Mutex,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SampleType {
    /// Such as `cpu`, `inuse_space`, `contentions`.
    pub kind: String,
    /// Such as `nanoseconds`, `bytes`, `count`.
    pub unit: String,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Mapping {
    pub file: String,
    pub build_id: String,
}

/// A profile. Values are in the unit of their sample type and already scaled up by the writer.
#[derive(Clone, Debug)]
pub struct Profile {
    pub kind: ProfileKind,
    pub gzip: bool,
    pub sample_types: Vec<SampleType>,
    /// Which sample type to rank by: the one that the profile names, else the last, as pprof does.
    pub default_type: usize,
    /// Sums over all samples, by sample type.
    pub totals: Vec<i64>,
    pub samples: usize,
    pub locations: usize,
    pub functions: usize,
    pub mappings: Vec<Mapping>,
    pub period_type: SampleType,
    pub period: i64,
    /// Unix time in nanoseconds of the start; 0 where not told.
    pub time_unix_ns: i64,
    /// 0 for a snapshot.
    pub duration_ns: i64,
    pub notes: Vec<Note>,
    pub(super) raw: Raw,
    pub(super) data: Vec<u8>,
}

/// Reads a profile in protobuf form.
///
/// # Errors
/// When the bytes are no profile at all. A cut or damaged one gives what is whole, and notes.
pub fn read_profile(data: &[u8]) -> Result<Profile, ProfileError> {
    let gzip = data.starts_with(&GZIP);
    let mut notes = Vec::new();
    let mut plain = Vec::new();
    if gzip {
        let failed = MultiGzDecoder::new(data).take(MAX_BYTES).read_to_end(&mut plain).err();
        match failed {
            Some(error) if plain.is_empty() => return Err(ProfileError::Gzip(error)),
            Some(error) => notes.push(note(plain.len(), format!("the gzip stream is damaged: {error}"))),
            None => {}
        }
    } else {
        plain.extend(data.iter().take(usize::try_from(MAX_BYTES).unwrap_or(usize::MAX)));
    }
    if to_u64(plain.len()) == MAX_BYTES {
        notes.push(note(plain.len(), "larger than the reader's bound; the rest is skipped".into()));
    }
    let (raw, stopped) = Raw::of(&plain);
    if raw.types.is_empty() {
        return Err(ProfileError::NotAProfile);
    }
    if let Some(at) = stopped {
        notes.push(note(at, format!("cut or damaged here; {} bytes are lost", plain.len() - at)));
    }
    Ok(Profile::new(raw, plain, gzip, notes))
}

fn note(at: usize, text: String) -> Note {
    Note { offset: to_u64(at), text }
}

impl Profile {
    fn new(raw: Raw, data: Vec<u8>, gzip: bool, notes: Vec<Note>) -> Self {
        let mut profile = Profile {
            kind: ProfileKind::Other,
            gzip,
            sample_types: Vec::new(),
            default_type: raw.types.len().saturating_sub(1),
            totals: vec![0; raw.types.len()],
            samples: 0,
            locations: raw.locations.len(),
            functions: raw.functions.len(),
            mappings: Vec::new(),
            period_type: SampleType::default(),
            period: to_i64(raw.period),
            time_unix_ns: to_i64(raw.time),
            duration_ns: to_i64(raw.duration),
            notes,
            raw,
            data,
        };
        let raw = &profile.raw;
        let named = |raw: &RawType| SampleType { kind: profile.string(raw.kind), unit: profile.string(raw.unit) };
        let types: Vec<_> = raw.types.iter().map(named).collect();
        let period_type = named(&raw.period_type);
        let mappings = raw
            .mappings
            .iter()
            .map(|m| Mapping { file: profile.string(m.file), build_id: profile.string(m.build_id) })
            .collect();
        let preferred = profile.string(raw.default_type);
        let mut odd = 0u64;
        let mut totals = vec![0i64; types.len()];
        for sample in raw.samples() {
            odd += u64::from(sample.values.len() != types.len());
            for (total, &value) in totals.iter_mut().zip(sample.values) {
                *total = total.saturating_add(to_i64(value));
            }
        }
        profile.samples = raw.sample_count();
        profile.kind = kind_of(&types, &preferred);
        if let Some(index) = types.iter().position(|kind| !preferred.is_empty() && kind.kind == preferred) {
            profile.default_type = index;
        }
        (profile.sample_types, profile.period_type, profile.mappings) = (types, period_type, mappings);
        profile.totals = totals;
        if odd > 0 {
            let text = format!("{odd} samples have another number of values than there are sample types");
            profile.notes.push(Note { offset: 0, text });
        }
        profile
    }

    pub(super) fn string(&self, index: u64) -> String {
        let range = usize::try_from(index).ok().and_then(|index| self.raw.strings.get(index));
        let bytes = range.and_then(|range| self.data.get(range.clone())).unwrap_or_default();
        String::from_utf8_lossy(bytes).into_owned()
    }

    /// Sums of the sample type at `index` by label key and value. Numeric values are written with their
    /// unit. Values beyond the first 1,000 of a key are left out.
    pub fn labels(&self, index: usize) -> BTreeMap<String, BTreeMap<String, i64>> {
        let mut labels: BTreeMap<String, BTreeMap<String, i64>> = BTreeMap::new();
        for sample in self.raw.samples() {
            let value = sample.values.get(index).map_or(0, |&value| to_i64(value));
            for label in sample.labels {
                let text = match label.text {
                    0 => format!("{}{}", to_i64(label.number), self.string(label.unit)),
                    text => self.string(text),
                };
                let values = labels.entry(self.string(label.key)).or_default();
                if values.len() < MAX_LABEL_VALUES || values.contains_key(&text) {
                    let sum = values.entry(text).or_default();
                    *sum = sum.saturating_add(value);
                }
            }
        }
        labels
    }

    /// `None` unless this is a contention profile whose leaves agree, nine in ten.
    pub fn contention(&self) -> Option<Contention> {
        if self.kind != ProfileKind::Contention {
            return None;
        }
        let (mut unlocks, mut all) = (0i64, 0i64);
        for row in self.top(0) {
            let method = row.name.rsplit('.').next().unwrap_or_default().to_ascii_lowercase();
            all = all.saturating_add(row.flat);
            if method.contains("unlock") {
                unlocks = unlocks.saturating_add(row.flat);
            }
        }
        let tenth = all / 10;
        match all {
            ..=0 => None,
            _ if unlocks >= all - tenth => Some(Contention::Mutex),
            _ if unlocks <= tenth => Some(Contention::Block),
            _ => None,
        }
    }
}

fn kind_of(types: &[SampleType], preferred: &str) -> ProfileKind {
    let has = |kind: &str| types.iter().any(|sample_type| sample_type.kind == kind);
    if has("inuse_space") || has("alloc_space") {
        let allocs = preferred.starts_with("alloc_");
        return if allocs { ProfileKind::Allocs } else { ProfileKind::Heap };
    }
    match types {
        [one] if one.kind == "goroutine" => ProfileKind::Goroutine,
        [one] if one.kind == "threadcreate" => ProfileKind::ThreadCreate,
        _ if has("contentions") && has("delay") => ProfileKind::Contention,
        _ if has("cpu") => ProfileKind::Cpu,
        _ if has("time") || has("wall") => ProfileKind::Wall,
        _ => ProfileKind::Other,
    }
}

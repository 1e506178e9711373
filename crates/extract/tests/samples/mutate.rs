//! Files with mistakes in them.

/// Random numbers (SplitMix64): the same for the same seed.
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number below `end`, or 0.
    pub fn below(&mut self, end: usize) -> usize {
        (self.next() % end.max(1) as u64) as usize
    }
}

/// What formats are sensitive to.
const TOKENS: [&[u8]; 26] = [
    b"0",
    b"-1",
    b"99999999999",
    b"2147483647",
    b"65536",
    b" 0 R",
    b"<<",
    b">>",
    b"[",
    b"]",
    b"(",
    b")",
    b"stream\n",
    b"endstream",
    b"endobj",
    b"/Length 9",
    b"/Kids",
    b"/Filter /FlateDecode",
    b" Do ",
    b" BT ",
    b" Tj ",
    b"</w:p>",
    b"<w:tbl>",
    b"&#x0;",
    b"\xFF\xFF\xFF\xFF",
    b"\0\0\0\0",
];

/// The file with up to eight changes: bytes flipped, cut out, repeated, replaced by tokens, or taken from another file.
pub fn mutated(file: &[u8], other: &[u8], random: &mut Random) -> Vec<u8> {
    let mut file = file.to_vec();
    for _ in 0..=random.below(8) {
        let at = random.below(file.len());
        let length = random.below(file.len() - at).min(1 << random.below(12));
        match random.below(8) {
            0 | 1 => {
                if let Some(byte) = file.get_mut(at) {
                    *byte ^= 1 << random.below(8);
                }
            }
            2 => {
                if let Some(byte) = file.get_mut(at) {
                    *byte = random.next() as u8;
                }
            }
            3 => {
                file.drain(at..at + length);
            }
            4 => {
                let part = file[at..at + length].to_vec();
                let to = random.below(file.len());
                file.splice(to..to, part);
            }
            5 => {
                let token = TOKENS[random.below(TOKENS.len())];
                let end = (at + random.below(2) * token.len()).min(file.len());
                file.splice(at..end, token.iter().copied());
            }
            6 => {
                let from = random.below(other.len());
                let part = &other[from..from + random.below(other.len() - from).min(1 << random.below(12))];
                file.splice(at..at + length, part.iter().copied());
            }
            _ => {
                // Digits carry the structure of both formats.
                if let Some(digit) = file.iter().skip(at).position(u8::is_ascii_digit) {
                    file[at + digit] = b'0' + random.below(10) as u8;
                }
            }
        }
    }
    if random.below(20) == 0 {
        file.truncate(random.below(file.len()));
    }
    file
}

//! Random choices that are the same in every run with the same seed.

/// SplitMix64 (Steele, Lea and Flood, "Fast Splittable Pseudorandom Number Generators", OOPSLA 2014).
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// The sequence for a seed; `stream` selects one of many independent ones.
    pub fn new(seed: u64, stream: u64) -> Random {
        let mut random = Random(seed ^ stream.wrapping_mul(0xd1b5_4a32_d192_ed03));
        random.next();
        random
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Below `n`, which is not 0.
    pub fn below(&mut self, n: usize) -> usize {
        ((u128::from(self.next()) * n as u128) >> 64) as usize
    }

    /// From `from` to `to`, inclusive.
    pub fn within(&mut self, from: usize, to: usize) -> usize {
        from + self.below(to - from + 1)
    }

    /// True in `cases` of a hundred cases.
    pub fn percent(&mut self, cases: usize) -> bool {
        self.below(100) < cases
    }

    /// One of the items.
    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }

    /// The index of one item, chosen by weight. At least one weight must not be 0.
    pub fn weighted(&mut self, weights: impl Iterator<Item = usize> + Clone) -> usize {
        let mut left = self.below(weights.clone().sum());
        weights
            .enumerate()
            .find_map(|(place, weight)| match left.checked_sub(weight) {
                Some(rest) => {
                    left = rest;
                    None
                }
                None => Some(place),
            })
            .unwrap_or(0)
    }

    /// Shuffles the items.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last + 1));
        }
    }
}

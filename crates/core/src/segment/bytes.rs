//! Numbers of variable length, and blocks of 128 numbers packed into as few bits as the greatest of them needs.

use bitpacking::{BitPacker, BitPacker4x};

use super::{Damaged, MAX_ORDINALS};

/// The numbers in a packed block.
pub const BLOCK: usize = BitPacker4x::BLOCK_LEN;
/// How many numbers the packer handles at a time.
const LANES: usize = 4;
/// The steps of a list of ordinals have at most so many bits.
const MAX_STEP_BITS: u8 = MAX_ORDINALS.ilog2() as u8;

/// Appends a number in 7 bits a byte, the lowest first (LEB128).
pub fn put(to: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        to.push(number as u8 | 0x80);
        number >>= 7;
    }
    to.push(number as u8);
}

/// Appends a number with a sign.
pub fn put_signed(to: &mut Vec<u8>, number: i64) {
    put(to, ((number << 1) ^ (number >> 63)) as u64);
}

/// Appends 128 numbers: how many bits each takes, then their bits.
pub fn pack(to: &mut Vec<u8>, numbers: &[u32; BLOCK]) {
    let packer = BitPacker4x::new();
    let bits = packer.num_bits(numbers);
    to.push(bits);
    let at = to.len();
    to.resize(at + BitPacker4x::compressed_block_size(bits), 0);
    packer.compress(numbers, &mut to[at..], bits);
}

/// Reads what the functions above wrote.
#[derive(Clone, Copy, Debug)]
pub struct Reader<'a>(pub &'a [u8]);

impl<'a> Reader<'a> {
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn byte(&mut self) -> Result<u8, Damaged> {
        let (first, rest) = self.0.split_first().ok_or(Damaged)?;
        self.0 = rest;
        Ok(*first)
    }

    #[inline]
    pub fn number(&mut self) -> Result<u64, Damaged> {
        // Most have one byte.
        if let [byte @ 0..0x80, rest @ ..] = self.0 {
            self.0 = rest;
            return Ok(u64::from(*byte));
        }
        let mut number = 0u64;
        for (place, byte) in self.0.iter().enumerate().take(10) {
            number |= u64::from(byte & 0x7f) << (7 * place);
            if byte & 0x80 == 0 {
                self.0 = &self.0[place + 1..];
                return Ok(number);
            }
        }
        Err(Damaged)
    }

    #[inline]
    pub fn small(&mut self) -> Result<u32, Damaged> {
        u32::try_from(self.number()?).map_err(|_| Damaged)
    }

    pub fn signed(&mut self) -> Result<i64, Damaged> {
        let number = self.number()?;
        Ok((number >> 1) as i64 ^ -((number & 1) as i64))
    }

    #[inline]
    pub fn take(&mut self, count: usize) -> Result<&'a [u8], Damaged> {
        if count > self.0.len() {
            return Err(Damaged);
        }
        let (taken, rest) = self.0.split_at(count);
        self.0 = rest;
        Ok(taken)
    }

    pub fn unpack(&mut self, numbers: &mut [u32; BLOCK]) -> Result<(), Damaged> {
        self.packed().map(|packed| packed.unpack(numbers))
    }

    /// Reads packed numbers as the steps of a list that ascends from `first`, each step one less than the difference; the first
    /// step is 0.
    pub fn unpack_ascending(&mut self, first: u32, numbers: &mut [u32; BLOCK]) -> Result<(), Damaged> {
        let packed = self.packed()?;
        // Sums of greater steps could be too large.
        if packed.bits > MAX_STEP_BITS || first > MAX_ORDINALS {
            return Err(Damaged);
        }
        if packed.bits == 0 {
            numbers.iter_mut().zip(first..).for_each(|(to, number)| *to = number);
            return Ok(());
        }
        // None stands for -1.
        let before = first.checked_sub(1);
        BitPacker4x::new().decompress_strictly_sorted(before, packed.bytes, numbers, packed.bits);
        Ok(())
    }

    /// Packed numbers, which stay packed.
    pub fn packed(&mut self) -> Result<Packed<'a>, Damaged> {
        let bits = self.byte()?;
        if bits > 32 {
            return Err(Damaged);
        }
        Ok(Packed { bits, bytes: self.take(BitPacker4x::compressed_block_size(bits))? })
    }
}

/// 128 packed numbers.
#[derive(Clone, Copy, Debug)]
pub struct Packed<'a> {
    bits: u8,
    bytes: &'a [u8],
}

impl Packed<'_> {
    pub fn unpack(&self, numbers: &mut [u32; BLOCK]) {
        if self.bits == 0 {
            numbers.fill(0);
        } else {
            BitPacker4x::new().decompress(self.bytes, numbers, self.bits);
        }
    }

    /// One of the numbers. `BitPacker4x` has four lanes of 32 bits: the n-th number is in the lane n modulo 4, whose words are 16
    /// bytes apart. It stores words in the byte order of the machine.
    pub fn get(&self, place: usize) -> u32 {
        let bits = usize::from(self.bits);
        let (lane, from) = (place % LANES, place / LANES * bits);
        let word = |at: usize| {
            let bytes = self.bytes.get((at * LANES + lane) * 4..).and_then(|bytes| bytes.first_chunk());
            u64::from(bytes.map_or(0, |bytes| u32::from_ne_bytes(*bytes)))
        };
        let both = word(from / 32) | word(from / 32 + 1) << 32;
        (both >> (from % 32) & ((1 << bits) - 1)) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn packed_numbers_are_read_together_and_one_by_one(bits in 0u32..=32, seed in prop::collection::vec(0u32.., BLOCK)) {
            let mut numbers: [u32; BLOCK] = seed.try_into().unwrap();
            numbers.iter_mut().for_each(|number| *number = number.checked_shr(32 - bits).unwrap_or(0));
            let mut bytes = Vec::new();
            pack(&mut bytes, &numbers);
            bytes.push(7);
            let mut reader = Reader(&bytes);
            let packed = reader.packed().unwrap();
            prop_assert_eq!(reader.0, [7]);
            let mut unpacked = [1; BLOCK];
            packed.unpack(&mut unpacked);
            prop_assert_eq!(unpacked, numbers);
            for (place, number) in numbers.iter().enumerate() {
                prop_assert_eq!(packed.get(place), *number);
            }
        }

        #[test]
        fn steps_are_added_up(bits in 0u32..=25, first in 0..=MAX_ORDINALS, seed in prop::collection::vec(0u32.., BLOCK)) {
            let mut steps: [u32; BLOCK] = seed.try_into().unwrap();
            steps.iter_mut().for_each(|step| *step = step.checked_shr(32 - bits).unwrap_or(0));
            steps[0] = 0;
            let mut bytes = Vec::new();
            pack(&mut bytes, &steps);
            let mut unpacked = [1; BLOCK];
            let read = Reader(&bytes).unpack_ascending(first, &mut unpacked);
            if bytes[0] > MAX_STEP_BITS {
                prop_assert_eq!(read, Err(Damaged));
                return Ok(());
            }
            prop_assert_eq!(read, Ok(()));
            let mut number = first;
            for (place, step) in steps.iter().enumerate() {
                number += step + u32::from(place > 0);
                prop_assert_eq!(unpacked[place], number);
            }
        }
    }
}

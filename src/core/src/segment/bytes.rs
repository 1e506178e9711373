//! Numbers of variable length, and blocks of 128 numbers packed into as few bits as the greatest of them needs.

use bitpacking::{BitPacker, BitPacker4x};

use super::Damaged;

/// The numbers in a packed block.
pub const BLOCK: usize = BitPacker4x::BLOCK_LEN;

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
        let bits = self.byte()?;
        if bits > 32 {
            return Err(Damaged);
        }
        if bits == 0 {
            numbers.fill(0);
            return Ok(());
        }
        let packed = self.take(BitPacker4x::compressed_block_size(bits))?;
        BitPacker4x::new().decompress(packed, numbers, bits);
        Ok(())
    }

    pub fn skip_packed(&mut self) -> Result<(), Damaged> {
        let bits = self.byte()?;
        if bits > 32 {
            return Err(Damaged);
        }
        self.take(BitPacker4x::compressed_block_size(bits)).map(drop)
    }
}

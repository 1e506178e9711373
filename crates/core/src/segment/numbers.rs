//! The numbers and lengths of the chunks of a segment, in blocks of at most 128.

use super::Damaged;
use super::bytes::{BLOCK, Packed, Reader, pack, put, put_signed};

/// Appends a block. Numbers ascend strictly.
pub fn put_numbers(to: &mut Vec<u8>, numbers: &[i64], lengths: &[u32]) {
    let steps: Option<Vec<u32>> = numbers
        .windows(2)
        .map(|pair| u32::try_from(pair[1].checked_sub(pair[0])?.checked_sub(1)?).ok())
        .collect();
    let packed = steps.and_then(|mut steps| {
        steps.insert(0, 0);
        Some((<[u32; BLOCK]>::try_from(steps).ok()?, <&[u32; BLOCK]>::try_from(lengths).ok()?))
    });
    let Some((steps, lengths_of_all)) = packed else {
        put(to, numbers.len() as u64);
        let mut before = 0i64;
        for (number, length) in numbers.iter().zip(lengths) {
            put_signed(to, number.wrapping_sub(before));
            put(to, u64::from(*length));
            before = *number;
        }
        return;
    };
    put(to, 0);
    put_signed(to, numbers.first().copied().unwrap_or_default());
    pack(to, &steps);
    let least = lengths.iter().copied().min().unwrap_or_default();
    put(to, u64::from(least));
    pack(to, &lengths_of_all.map(|length| length - least));
}

/// Appends the numbers and lengths of the next block to lists; false at the end.
pub fn next_numbers(
    from: &mut Reader,
    numbers: &mut Vec<i64>,
    lengths: &mut Vec<u32>,
) -> Result<bool, Damaged> {
    if from.is_empty() {
        return Ok(false);
    }
    let count = from.small()? as usize;
    if count > BLOCK {
        return Err(Damaged);
    }
    if count > 0 {
        let mut before = 0i64;
        for _ in 0..count {
            before = before.wrapping_add(from.signed()?);
            numbers.push(before);
            lengths.push(from.small()?);
        }
        return Ok(true);
    }
    let mut number = from.signed()?;
    let mut packed = [0; BLOCK];
    from.unpack(&mut packed)?;
    for (place, step) in packed.iter().enumerate() {
        number = number.wrapping_add(i64::from(*step) + i64::from(place > 0));
        numbers.push(number);
    }
    let least = from.small()?;
    from.unpack(&mut packed)?;
    lengths.extend(packed.iter().map(|length| length.saturating_add(least)));
    Ok(true)
}

/// The numbers and lengths of a segment, of which blocks are decoded when they are needed.
#[derive(Debug, Default)]
pub struct Numbers<'a> {
    /// Each of 128 chunks but the last.
    blocks: Vec<Block<'a>>,
    numbers: Vec<i64>,
    lengths: Vec<u32>,
    /// The block whose numbers are decoded.
    current: Option<usize>,
}

#[derive(Debug)]
struct Block<'a> {
    bytes: Reader<'a>,
    /// The lengths, less the least of them; None in a small block.
    lengths: Option<Packed<'a>>,
    least: u32,
}

impl<'a> Numbers<'a> {
    /// Goes on with those of another segment.
    pub fn set(&mut self, bytes: &'a [u8]) -> Result<(), Damaged> {
        self.blocks.clear();
        self.current = None;
        let mut reader = Reader(bytes);
        while !reader.is_empty() {
            self.blocks.push(Block::next(&mut reader)?);
        }
        Ok(())
    }

    /// Reads the lengths of the chunks of a block; places of a smaller block that have no chunk are not written.
    pub fn lengths(&mut self, block: usize, into: &mut [u32; BLOCK]) -> Result<(), Damaged> {
        let Block { lengths, least, .. } = self.blocks.get(block).ok_or(Damaged)?;
        let Some(packed) = lengths else {
            self.decode(block)?;
            into.iter_mut().zip(&self.lengths).for_each(|(to, length)| *to = *length);
            return Ok(());
        };
        packed.unpack(into);
        into.iter_mut().for_each(|length| *length = length.saturating_add(*least));
        Ok(())
    }

    /// The length of the chunk with an ordinal.
    #[inline]
    pub fn length(&mut self, ordinal: u32) -> Result<u32, Damaged> {
        let (block, place) = (ordinal as usize / BLOCK, ordinal as usize % BLOCK);
        let Block { lengths, least, .. } = self.blocks.get(block).ok_or(Damaged)?;
        let Some(packed) = lengths else {
            self.decode(block)?;
            return self.lengths.get(place).copied().ok_or(Damaged);
        };
        Ok(packed.get(place).saturating_add(*least))
    }

    /// The number of the chunk with an ordinal.
    pub fn number(&mut self, ordinal: u32) -> Result<i64, Damaged> {
        let ordinal = ordinal as usize;
        self.decode(ordinal / BLOCK)?;
        self.numbers.get(ordinal % BLOCK).copied().ok_or(Damaged)
    }

    fn decode(&mut self, block: usize) -> Result<(), Damaged> {
        if self.current == Some(block) {
            return Ok(());
        }
        let mut reader = self.blocks.get(block).ok_or(Damaged)?.bytes;
        self.current = None;
        self.numbers.clear();
        self.lengths.clear();
        next_numbers(&mut reader, &mut self.numbers, &mut self.lengths)?;
        self.current = Some(block);
        Ok(())
    }
}

impl<'a> Block<'a> {
    /// The next block, which is not decoded.
    fn next(from: &mut Reader<'a>) -> Result<Block<'a>, Damaged> {
        let bytes = *from;
        let count = from.small()? as usize;
        if count > BLOCK {
            return Err(Damaged);
        }
        if count > 0 {
            for _ in 0..2 * count {
                from.number()?;
            }
            return Ok(Block { bytes, lengths: None, least: 0 });
        }
        from.number()?;
        from.packed()?;
        let least = from.small()?;
        Ok(Block { bytes, lengths: Some(from.packed()?), least })
    }
}

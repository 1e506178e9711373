//! `hypotf` of C, which fonts in PDF files need: the linker takes it in place of the C library's. glibc gave its own a new version
//! in 2.35, so a program that is linked where glibc is newer would not start with 2.34.

/// The length of a vector. Squares of `f32` are neither infinite nor zero in `f64`.
// SAFETY: the arguments and the result are those of C's function.
#[unsafe(no_mangle)]
extern "C" fn hypotf(x: f32, y: f32) -> f32 {
    if x.is_infinite() || y.is_infinite() {
        return f32::INFINITY;
    }
    let (x, y) = (f64::from(x), f64::from(y));
    (x * x + y * y).sqrt() as f32
}

#[cfg(test)]
mod tests {
    #[test]
    fn is_as_in_c() {
        for (x, y, expected) in [
            (3.0, 4.0, 5.0),
            (-3.0, 4.0, 5.0),
            (0.0, -0.0, 0.0),
            (f32::MAX, 0.0, f32::MAX),
            (f32::MAX, f32::MAX, f32::INFINITY),
            (1e-45, 0.0, 1e-45),
            (f32::INFINITY, f32::NAN, f32::INFINITY),
            (f32::NAN, f32::NEG_INFINITY, f32::INFINITY),
        ] {
            assert_eq!(super::hypotf(x, y), expected, "{x} {y}");
            // The one that other crates call is this one.
            assert_eq!(x.hypot(y), expected, "{x} {y}");
        }
        assert!(super::hypotf(f32::NAN, 1.0).is_nan());
    }
}

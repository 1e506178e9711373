//! Which vector instructions of the processor are used.

/// The instructions that the arithmetic of an [`Encoder`](crate::Encoder) uses.
///
/// A value can only be created for instructions that this processor has, which makes using it safe. With int8
/// weights, all kernels give the same vectors to the last bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kernel(Level);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Level {
    Portable,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    #[cfg(target_arch = "x86_64")]
    Vnni,
}

impl Level {
    #[cfg(target_arch = "x86_64")]
    fn available() -> Vec<Level> {
        let avx2 = is_x86_feature_detected!("avx2");
        let vnni = is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512dq")
            && is_x86_feature_detected!("avx512vl")
            && is_x86_feature_detected!("avx512vnni");
        let vector = [vnni.then_some(Level::Vnni), avx2.then_some(Level::Avx2)];
        vector.into_iter().flatten().chain([Level::Portable]).collect()
    }

    #[cfg(not(target_arch = "x86_64"))]
    fn available() -> Vec<Level> {
        vec![Level::Portable]
    }
}

impl Kernel {
    /// The kernels that this processor has, fastest first. The portable one is always last.
    pub fn available() -> Vec<Kernel> {
        Level::available().into_iter().map(Kernel).collect()
    }

    /// The fastest kernel that this processor has.
    pub fn best() -> Kernel {
        Kernel::available().first().copied().unwrap_or(Kernel(Level::Portable))
    }

    /// `avx512-vnni`, `avx2` or `portable`.
    pub fn name(self) -> &'static str {
        match self.0 {
            Level::Portable => "portable",
            #[cfg(target_arch = "x86_64")]
            Level::Avx2 => "avx2",
            #[cfg(target_arch = "x86_64")]
            Level::Vnni => "avx512-vnni",
        }
    }

    pub(super) fn level(self) -> Level {
        self.0
    }
}

/// Defines functions that take a [`Kernel`] first and are compiled once for each kernel: the same source, so
/// the same operations on every number, with wider registers. The function named last does the work and must
/// be `#[inline(always)]`.
macro_rules! compiled_for_each_kernel {
    ($($(#[$doc:meta])* fn $name:ident($($argument:ident: $type:ty),*) by $work:ident;)*) => { $(
        $(#[$doc])*
        pub(crate) fn $name(kernel: $crate::kernels::Kernel, $($argument: $type),*) {
            #[cfg(target_arch = "x86_64")]
            {
                #[target_feature(enable = "avx2")]
                fn avx2($($argument: $type),*) {
                    $work($($argument),*);
                }
                #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
                fn avx512($($argument: $type),*) {
                    $work($($argument),*);
                }
                match kernel.level() {
                    // SAFETY: a `Kernel` of this level exists only where the processor has AVX2.
                    $crate::kernels::cpu::Level::Avx2 => return unsafe { avx2($($argument),*) },
                    // SAFETY: a `Kernel` of this level exists only where the processor has all four.
                    $crate::kernels::cpu::Level::Vnni => return unsafe { avx512($($argument),*) },
                    $crate::kernels::cpu::Level::Portable => {}
                }
            }
            #[cfg(not(target_arch = "x86_64"))]
            let $crate::kernels::cpu::Level::Portable = kernel.level();
            $work($($argument),*);
        }
    )* };
}
pub(super) use compiled_for_each_kernel;

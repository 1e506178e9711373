//! The numbers of lists as Word writes them (ISO/IEC 29500-1, 17.18.59 ST_NumberFormat).

/// A longer number is written in digits: Word stops long before.
const MAX_REPEATED: u32 = 780;
const MAX_ROMAN: u32 = 32_767;

const ROMAN: [(u32, &str); 13] = [
    (1000, "m"),
    (900, "cm"),
    (500, "d"),
    (400, "cd"),
    (100, "c"),
    (90, "xc"),
    (50, "l"),
    (40, "xl"),
    (10, "x"),
    (9, "ix"),
    (5, "v"),
    (4, "iv"),
    (1, "i"),
];

const LATIN: &str = "abcdefghijklmnopqrstuvwxyz";
const RUSSIAN: &str = "абвгдежзиклмнопрстуфхцчшщыэюя";
const HEBREW: &str = "אבגדהוזחטיכלמנסעפצקרשת";
const ARABIC: &str = "أبتثجحخدذرزسشصضطظعغفقكلمنهوي";
const ABJAD: &str = "أبجدهوزحطيكلمنسعفصقرشتثخذضظغ";
const THAI: &str = "กขคงจฉชซฌญฎฏฐฑฒณดตถทธนบปผฝพฟภมยรลวศษสหฬอฮ";
const GANADA: &str = "가나다라마바사아자차카타파하";
const CHOSUNG: &str = "ㄱㄴㄷㄹㅁㅂㅅㅇㅈㅊㅋㅌㅍㅎ";
const AIUEO: &str =
    "アイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワヲン";
const AIUEO_HALF: &str = "ｱｲｳｴｵｶｷｸｹｺｻｼｽｾｿﾀﾁﾂﾃﾄﾅﾆﾇﾈﾉﾊﾋﾌﾍﾎﾏﾐﾑﾒﾓﾔﾕﾖﾗﾘﾙﾚﾛﾜｦﾝ";
const IROHA: &str =
    "イロハニホヘトチリヌルヲワカヨタレソツネナラムウヰノオクヤマケフコエテアサキユメミシヱヒモセスン";
const STEMS: &str = "甲乙丙丁戊己庚辛壬癸";
const BRANCHES: &str = "子丑寅卯辰巳午未申酉戌亥";
const CIRCLES: &str = "①②③④⑤⑥⑦⑧⑨⑩⑪⑫⑬⑭⑮⑯⑰⑱⑲⑳";
const PARENTHESES: &str = "⑴⑵⑶⑷⑸⑹⑺⑻⑼⑽⑾⑿⒀⒁⒂⒃⒄⒅⒆⒇";
const FULL_STOPS: &str = "⒈⒉⒊⒋⒌⒍⒎⒏⒐⒑⒒⒓⒔⒕⒖⒗⒘⒙⒚⒛";
const CIRCLED_IDEOGRAPHS: &str = "㊀㊁㊂㊃㊄㊅㊆㊇㊈㊉";

/// Digits, from zero to nine, and the units ten, hundred, thousand and ten thousand.
struct Han {
    digits: &'static str,
    units: [&'static str; 4],
    /// Whether one of a unit is written as the unit alone, up to this place: 10 is 十, not 一十.
    bare_up_to: usize,
    /// Whether a gap is written as a zero: 101 is 一百零一.
    zero: bool,
}

const CHINESE: Han =
    Han {
        digits: "零一二三四五六七八九", units: ["十", "百", "千", "萬"], bare_up_to: 1, zero: true
    };
const CHINESE_SIMPLIFIED: Han = Han { units: ["十", "百", "千", "万"], ..CHINESE };
const JAPANESE: Han =
    Han {
        digits: "〇一二三四五六七八九", units: ["十", "百", "千", "万"], bare_up_to: 3, zero: false
    };
const JAPANESE_LEGAL: Han =
    Han {
        digits: "〇壱弐参四伍六七八九", units: ["拾", "百", "阡", "萬"], bare_up_to: 0, zero: false
    };
const LEGAL_TRADITIONAL: Han =
    Han {
        digits: "零壹貳參肆伍陸柒捌玖", units: ["拾", "佰", "仟", "萬"], bare_up_to: 0, zero: true
    };
const LEGAL_SIMPLIFIED: Han =
    Han {
        digits: "零壹贰叁肆伍陆柒捌玖", units: ["拾", "佰", "仟", "万"], bare_up_to: 0, zero: true
    };
const KOREAN: Han =
    Han {
        digits: "영일이삼사오육칠팔구", units: ["십", "백", "천", "만"], bare_up_to: 4, zero: false
    };

const HAN_DIGITS: &str = "〇一二三四五六七八九";
const TAIWANESE_DIGITS: &str = "○一二三四五六七八九";
const KOREAN_DIGITS: &str = "영일이삼사오육칠팔구";
const KOREAN_DIGITS_2: &str = "零一二三四五六七八九";
const FULL_WIDTH: &str = "０１２３４５６７８９";
const THAI_DIGITS: &str = "๐๑๒๓๔๕๖๗๘๙";
const HINDI_DIGITS: &str = "०१२३४५६७८९";

const ONES: [&str; 20] = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
];
const TENS: [&str; 10] =
    ["", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"];

/// A number in a format, which is a value of ST_NumberFormat; in digits where the format is not known or has no such number.
/// `language` decides how ordinals are written.
pub fn written(number: u32, format: &str, language: Option<&str>) -> String {
    in_format(number, format, language).unwrap_or_else(|| number.to_string())
}

fn in_format(number: u32, format: &str, language: Option<&str>) -> Option<String> {
    match format {
        "decimalZero" => Some(format!("{number:02}")),
        "lowerRoman" => roman(number),
        "upperRoman" => roman(number).map(|roman| roman.to_uppercase()),
        "lowerLetter" => repeated(number, LATIN),
        "upperLetter" => repeated(number, LATIN).map(|letters| letters.to_uppercase()),
        "russianLower" => repeated(number, RUSSIAN),
        "russianUpper" => repeated(number, RUSSIAN).map(|letters| letters.to_uppercase()),
        "ordinal" => Some(ordinal(number, language)),
        "cardinalText" => is_english(language).then(|| capitalized(cardinal(number)?))?,
        "ordinalText" => is_english(language).then(|| capitalized(ordinal_text(&cardinal(number)?)))?,
        "hex" => Some(format!("{number:X}")),
        "numberInDash" => Some(format!("- {number} -")),
        "chicago" => repeated(number, "*†‡§"),
        "none" => Some(String::new()),
        _ => asian(number, format),
    }
}

fn asian(number: u32, format: &str) -> Option<String> {
    match format {
        "decimalFullWidth" | "decimalFullWidth2" => Some(digits(number, FULL_WIDTH)),
        "decimalEnclosedCircle" | "decimalEnclosedCircleChinese" => one_of(number, CIRCLES),
        "decimalEnclosedParen" => one_of(number, PARENTHESES),
        "decimalEnclosedFullstop" => one_of(number, FULL_STOPS),
        "ideographEnclosedCircle" => one_of(number, CIRCLED_IDEOGRAPHS),
        "ideographDigital" | "japaneseDigitalTenThousand" => Some(digits(number, HAN_DIGITS)),
        "taiwaneseDigital" => Some(digits(number, TAIWANESE_DIGITS)),
        "koreanDigital" => Some(digits(number, KOREAN_DIGITS)),
        "koreanDigital2" => Some(digits(number, KOREAN_DIGITS_2)),
        "ideographTraditional" => one_of(number, STEMS),
        "ideographZodiac" => one_of(number, BRANCHES),
        "ideographZodiacTraditional" => cycle(number),
        "chineseCounting" if number < 100 => CHINESE_SIMPLIFIED.written(number),
        "taiwaneseCounting" if number < 100 => CHINESE.written(number),
        "chineseCounting" | "taiwaneseCounting" => Some(digits(number, TAIWANESE_DIGITS)),
        "chineseCountingThousand" => CHINESE_SIMPLIFIED.written(number),
        "taiwaneseCountingThousand" => CHINESE.written(number),
        "japaneseCounting" => JAPANESE.written(number),
        "japaneseLegal" => JAPANESE_LEGAL.written(number),
        "ideographLegalTraditional" => LEGAL_TRADITIONAL.written(number),
        "chineseLegalSimplified" => LEGAL_SIMPLIFIED.written(number),
        "koreanCounting" => KOREAN.written(number),
        "koreanLegal" => korean_native(number),
        "aiueo" => one_of(number, AIUEO_HALF),
        "aiueoFullWidth" => one_of(number, AIUEO),
        "iroha" | "irohaFullWidth" => one_of(number, IROHA),
        "ganada" => one_of(number, GANADA),
        "chosung" => one_of(number, CHOSUNG),
        "hebrew1" => hebrew(number),
        "hebrew2" => repeated(number, HEBREW),
        "arabicAlpha" => repeated(number, ARABIC),
        "arabicAbjad" => repeated(number, ABJAD),
        "thaiLetters" => repeated(number, THAI),
        "thaiNumbers" => Some(digits(number, THAI_DIGITS)),
        "hindiNumbers" => Some(digits(number, HINDI_DIGITS)),
        _ => None,
    }
}

fn roman(number: u32) -> Option<String> {
    if !(1..=MAX_ROMAN).contains(&number) {
        return None;
    }
    let (mut rest, mut roman) = (number, String::new());
    for (value, digits) in ROMAN {
        while rest >= value {
            roman.push_str(digits);
            rest -= value;
        }
    }
    Some(roman)
}

/// Letters, each once, then each twice, and so on: a, b, …, z, aa, bb.
fn repeated(number: u32, letters: &str) -> Option<String> {
    let count = u32::try_from(letters.chars().count()).ok()?;
    let at = number.checked_sub(1).filter(|at| *at < MAX_REPEATED)?;
    let letter = letters.chars().nth((at % count) as usize)?;
    Some(letter.to_string().repeat((at / count + 1) as usize))
}

/// One character of a list, which begins with that of 1.
fn one_of(number: u32, characters: &str) -> Option<String> {
    characters.chars().nth(number.checked_sub(1)? as usize).map(String::from)
}

fn digits(number: u32, ten: &str) -> String {
    number.to_string().chars().filter_map(|c| ten.chars().nth(c.to_digit(10)? as usize)).collect()
}

/// The cycle of 60 years.
fn cycle(number: u32) -> Option<String> {
    let at = number.checked_sub(1).filter(|at| *at < 60)? as usize;
    Some([STEMS.chars().nth(at % 10)?, BRANCHES.chars().nth(at % 12)?].iter().collect())
}

/// Hebrew letters by their value.
fn hebrew(number: u32) -> Option<String> {
    if !(1..=999).contains(&number) {
        return None;
    }
    let letter = |at: u32| HEBREW.chars().nth(at as usize);
    let mut rest = number;
    let mut out = String::new();
    while rest >= 400 {
        out.push('ת');
        rest -= 400;
    }
    if rest >= 100 {
        out.extend(letter(rest / 100 + 17));
        rest %= 100;
    }
    // 15 and 16 would spell a name.
    if matches!(rest, 15 | 16) {
        out.push('ט');
        out.extend(letter(rest - 10));
        return Some(out);
    }
    if rest >= 10 {
        out.extend(letter(rest / 10 + 8));
    }
    if !rest.is_multiple_of(10) {
        out.extend(letter(rest % 10 - 1));
    }
    Some(out)
}

fn korean_native(number: u32) -> Option<String> {
    const ONES: [&str; 10] = ["", "하나", "둘", "셋", "넷", "다섯", "여섯", "일곱", "여덟", "아홉"];
    const TENS: [&str; 10] = ["", "열", "스물", "서른", "마흔", "쉰", "예순", "일흔", "여든", "아흔"];
    if !(1..100).contains(&number) {
        return None;
    }
    Some([*TENS.get(number as usize / 10)?, *ONES.get(number as usize % 10)?].concat())
}

impl Han {
    fn written(&self, number: u32) -> Option<String> {
        if number >= 100_000 {
            return None;
        }
        let digit = |digit: u32| self.digits.chars().nth(digit as usize);
        if number == 0 {
            return digit(0).map(String::from);
        }
        let mut out = String::new();
        let mut gap = false;
        for place in (0..=4_usize).rev() {
            let value = number / 10_u32.pow(place as u32) % 10;
            if value == 0 {
                gap = !out.is_empty();
                continue;
            }
            if gap && self.zero {
                out.extend(digit(0));
            }
            gap = false;
            // In the middle of a number Chinese writes the one: 一百一十.
            let is_bare =
                value == 1 && (1..=self.bare_up_to).contains(&place) && (out.is_empty() || !self.zero);
            if !is_bare {
                out.extend(digit(value));
            }
            if let Some(unit) = place.checked_sub(1).and_then(|at| self.units.get(at)) {
                out.push_str(unit);
            }
        }
        Some(out)
    }
}

fn is_english(language: Option<&str>) -> bool {
    language.is_none_or(|language| primary(language) == "en")
}

fn primary(language: &str) -> String {
    language.split(['-', '_']).next().unwrap_or_default().to_lowercase()
}

fn ordinal(number: u32, language: Option<&str>) -> String {
    let language = language.map_or("en".to_owned(), primary);
    let suffix = match language.as_str() {
        "en" => match (number % 100, number % 10) {
            (11..=13, _) => "th",
            (_, 1) => "st",
            (_, 2) => "nd",
            (_, 3) => "rd",
            _ => "th",
        },
        "fr" if number == 1 => "er",
        "fr" | "nl" => "e",
        "es" | "it" | "pt" | "ca" | "gl" => "º",
        "sv" => match (number % 100, number % 10) {
            (11 | 12, _) => ":e",
            (_, 1 | 2) => ":a",
            _ => ":e",
        },
        _ => ".",
    };
    format!("{number}{suffix}")
}

fn cardinal(number: u32) -> Option<String> {
    let word = |number: u32| ONES.get(number as usize).map(|word| (*word).to_owned());
    Some(match number {
        0..20 => word(number)?,
        20..100 => {
            let tens = (*TENS.get(number as usize / 10)?).to_owned();
            if number.is_multiple_of(10) { tens } else { format!("{tens}-{}", word(number % 10)?) }
        }
        100..1_000 => with_rest(word(number / 100)?, "hundred", number % 100)?,
        1_000..1_000_000 => with_rest(cardinal(number / 1_000)?, "thousand", number % 1_000)?,
        _ => return None,
    })
}

fn with_rest(count: String, unit: &str, rest: u32) -> Option<String> {
    let rest = if rest == 0 { String::new() } else { format!(" {}", cardinal(rest)?) };
    Some(format!("{count} {unit}{rest}"))
}

fn ordinal_text(cardinal: &str) -> String {
    let at = cardinal.rfind([' ', '-']).map_or(0, |at| at + 1);
    let (before, last) = cardinal.split_at(at);
    let ordinal = match last {
        "one" => "first".to_owned(),
        "two" => "second".to_owned(),
        "three" => "third".to_owned(),
        "five" => "fifth".to_owned(),
        "eight" => "eighth".to_owned(),
        "nine" => "ninth".to_owned(),
        "twelve" => "twelfth".to_owned(),
        last => match last.strip_suffix('y') {
            Some(stem) => format!("{stem}ieth"),
            None => format!("{last}th"),
        },
    };
    format!("{before}{ordinal}")
}

fn capitalized(text: String) -> Option<String> {
    let mut letters = text.chars();
    let first = letters.next()?;
    Some(first.to_uppercase().chain(letters).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_formats() {
        for (format, pairs) in [
            ("decimal", &[(0, "0"), (12, "12")][..]),
            ("decimalZero", &[(3, "03"), (12, "12"), (120, "120")]),
            ("lowerLetter", &[(1, "a"), (26, "z"), (27, "aa"), (28, "bb"), (0, "0"), (1_000_000, "1000000")]),
            ("upperLetter", &[(3, "C"), (53, "AAA")]),
            ("lowerRoman", &[(4, "iv"), (1999, "mcmxcix"), (0, "0"), (40_000, "40000")]),
            ("upperRoman", &[(9, "IX")]),
            ("russianLower", &[(1, "а"), (29, "я"), (30, "аа")]),
            ("ordinal", &[(1, "1st"), (2, "2nd"), (3, "3rd"), (11, "11th"), (112, "112th"), (21, "21st")]),
            (
                "cardinalText",
                &[
                    (1, "One"),
                    (21, "Twenty-one"),
                    (100, "One hundred"),
                    (1_215, "One thousand two hundred fifteen"),
                ],
            ),
            (
                "ordinalText",
                &[(1, "First"), (20, "Twentieth"), (32, "Thirty-second"), (104, "One hundred fourth")],
            ),
            ("hex", &[(255, "FF")]),
            (
                "chineseCounting",
                &[(1, "一"), (10, "十"), (11, "十一"), (20, "二十"), (99, "九十九"), (105, "一○五")],
            ),
            (
                "chineseCountingThousand",
                &[(10, "十"), (101, "一百零一"), (110, "一百一十"), (1_001, "一千零一")],
            ),
            (
                "japaneseCounting",
                &[(10, "十"), (100, "百"), (111, "百十一"), (1_234, "千二百三十四"), (20_000, "二万")],
            ),
            ("taiwaneseCountingThousand", &[(10_000, "一萬")]),
            ("ideographTraditional", &[(1, "甲"), (10, "癸"), (11, "11")]),
            ("ideographZodiacTraditional", &[(1, "甲子"), (60, "癸亥")]),
            ("ideographDigital", &[(10, "一〇")]),
            ("ideographLegalTraditional", &[(10, "壹拾"), (25, "貳拾伍")]),
            ("koreanCounting", &[(1, "일"), (10, "십"), (21, "이십일")]),
            ("koreanLegal", &[(1, "하나"), (12, "열둘")]),
            ("decimalEnclosedCircle", &[(1, "①"), (20, "⑳"), (21, "21")]),
            ("decimalFullWidth", &[(12, "１２")]),
            ("ganada", &[(2, "나")]),
            ("aiueoFullWidth", &[(1, "ア")]),
            ("hebrew1", &[(1, "א"), (10, "י"), (15, "טו"), (16, "טז"), (100, "ק"), (500, "תק")]),
            ("thaiNumbers", &[(10, "๑๐")]),
            ("none", &[(3, "")]),
            ("numberInDash", &[(3, "- 3 -")]),
            ("anything else", &[(3, "3")]),
        ] {
            for (number, expected) in pairs {
                assert_eq!(written(*number, format, None), *expected, "{format} {number}");
            }
        }
        for (language, expected) in [("de", "1."), ("fr-FR", "1er"), ("es", "1º"), ("en-US", "1st")] {
            assert_eq!(written(1, "ordinal", Some(language)), expected);
        }
        assert_eq!(written(2, "cardinalText", Some("de")), "2");
    }
}

"""Made sentences in ten languages: each beginning with each ending, 20 for every language."""

PARTS = {
    "en": (
        ["The old bridge", "Our neighbor's dog", "The city library", "The new doctor"],
        [" needs help before winter comes.", " is known far beyond the region.", " is in the newspaper of May 17, 2021.",
         " costs the community 4,500 euros a year.", " makes many visitors happy!"],
    ),
    "de": (
        ["Die alte Brücke", "Der Hund unserer Nachbarn", "Die Stadtbücherei", "Die neue Ärztin"],
        [" braucht Hilfe, bevor der Winter kommt.", " ist weit über die Gegend hinaus bekannt.", " steht in der Zeitung vom 17. Mai 2021.",
         " kostet die Gemeinde 4.500 Euro im Jahr.", " macht viele Besucher glücklich!"],
    ),
    "fr": (
        ["Le vieux pont", "Le chien de nos voisins", "La bibliothèque de la ville", "La nouvelle médecin"],
        [" a besoin d'aide avant l'hiver.", " est célèbre bien au-delà de la région.", " est dans le journal du 17 mai 2021.",
         " coûte 4 500 euros par an à la commune.", " rend heureux beaucoup de visiteurs !"],
    ),
    "es": (
        ["El puente viejo", "El perro de los vecinos", "La biblioteca de la ciudad", "La nueva médica"],
        [" necesita ayuda antes del invierno.", " se conoce mucho más allá de la región.", " sale en el periódico del 17 de mayo de 2021.",
         " cuesta al municipio 4.500 euros al año.", " ¡hace felices a muchos visitantes!"],
    ),
    "tr": (
        ["Eski köprü", "Komşumuzun köpeği", "Şehir kütüphanesi", "Yeni doktor"],
        [" kış gelmeden yardıma ihtiyaç duyuyor.", " bölgenin çok ötesinde tanınıyor.", " 17 Mayıs 2021 tarihli gazetede.",
         " belediyeye yılda 4.500 avroya mal oluyor.", " birçok ziyaretçiyi mutlu ediyor!"],
    ),
    "ru": (
        ["Старый мост", "Собака наших соседей", "Городская библиотека", "Новый врач"],
        [" нуждается в помощи до прихода зимы.", " славится далеко за пределами края.", " упоминается в газете от 17 мая 2021 года.",
         " обходится общине в 4500 евро в год.", " радует многих гостей!"],
    ),
    "ar": (
        ["الجسر القديم", "كلب جيراننا", "مكتبة المدينة", "الطبيب الجديد"],
        [" بحاجة إلى مساعدة قبل الشتاء.", " معروف خارج المنطقة أيضا.", " في صحيفة 17 مايو 2021.",
         " يكلف البلدية 4500 يورو في السنة.", " يسعد كثيرا من الزوار!"],
    ),
    "hi": (
        ["पुराना पुल", "पड़ोसी का कुत्ता", "शहर का पुस्तकालय", "नया डॉक्टर"],
        [" सर्दी से पहले मदद चाहता है।", " इलाके से बहुत दूर तक मशहूर है।", " 17 मई 2021 के अखबार में है।",
         " पर साल में 4,500 यूरो खर्च होते हैं।", " बहुत से मेहमानों को खुश करता है!"],
    ),
    "zh": (
        ["老桥", "邻居的狗", "市图书馆", "新来的医生"],
        ["在冬天到来之前需要帮助。", "在本地区以外也很有名。", "出现在2021年5月17日的报纸上。", "每年花费社区4500欧元。", "让许多游客感到高兴!"],
    ),
    "ja": (
        ["古い橋", "隣の犬", "市の図書館", "新しい医者"],
        ["は冬が来る前に助けが必要です。", "は地域を越えて知られています。", "は2021年5月17日の新聞に載っています。",
         "は町に年間4500ユーロかかります。", "は多くの訪問者を喜ばせます!"],
    ),
}


def sentences():
    """All of them, as (language, text)."""
    return [
        (language, beginning + ending)
        for language, (beginnings, endings) in PARTS.items()
        for beginning in beginnings
        for ending in endings
    ]

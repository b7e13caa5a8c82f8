#include "index/text/language.h"

#include <algorithm>
#include <array>

namespace perdure {
namespace {

// In the order of Language.
constexpr std::array<std::string_view, kLanguageCount> kStopWords = {
    "a about above after again all also am an and any are as at be because been before being below "
    "between both but by can cannot could did do does doing don dont down during each few for from "
    "further had has have having he her here hers him his how i if in into is it its just me more "
    "most my no nor not now of off on once only or other our ours out over own same she should so "
    "some such than that the their theirs them then there these they this those through to too "
    "under until up us very was we were what when where which while who whom why will with would "
    "you your yours arent cant couldnt didnt doesnt hadnt hasnt havent isnt shouldnt wasnt werent "
    "wont "
    "wouldnt",
    "alors c d j l n s au aucun aussi autre aux avec avant ayant bien car ce cela ces cet cette "
    "ceux chez comme "
    "comment dans de depuis des deux dont donc du elle elles en encore entre est et eu eux fait "
    "font "
    "furent fut il ils je jusqu la le les leur leurs lors lui mais même mes moi mon ne nos notre "
    "nous "
    "on ont ou où par parce pas peu peut plus pour pourquoi quand que quel quelle quelles quels "
    "qui "
    "quoi qu sa sans se sera ses si sont son sous sur ta te tes toi ton tous tout toute toutes "
    "très tu "
    "un une vers voici vos votre vous était étaient étant été être",
    "aber alle allem allen aller als also am an andere anderen auch auf aus bei beim bin bis bist "
    "da "
    "damit dann das dass dem den denn der des dessen die dies diese diesem diesen dieser dieses "
    "doch "
    "dort du durch ein eine einem einen einer eines er es etwas für gegen hat hatte hatten hier "
    "hinter "
    "ich ihm ihn ihr ihre ihrem ihren ihrer im in ist ja jede jeder jedes jene kann kein keine "
    "können "
    "könnte man mehr mein meine mit muss nach nicht nichts noch nun nur ob oder ohne sehr sein "
    "seine "
    "seinem seinen seiner seit sich sie sind so sollte über um und uns unser unter viel vom von "
    "vor war "
    "waren warum was weil welche welchem welchen welcher welches wenn wer werden wie wieder wir "
    "wird wo "
    "worden wurde wurden zu zum zur zwischen",
    "además al algo alguna algunos ante antes aquel aquella aquí así aunque cada como con contra "
    "cual "
    "cuando cuál cuáles cuándo cuánto cuántos cómo de del desde donde dos durante dónde el ella "
    "ellas "
    "ellos en entre era eran es esa esas ese eso esos esta estaba estado estas este esto estos "
    "está "
    "están fue fueron ha había han hasta hay la las le les lo los mientras mucho muy más ni nos "
    "nosotros "
    "o otra otras otro otros para pero poco por porque pues que quien quienes quién quiénes qué se "
    "sea "
    "según ser si sido sin sobre solo son su sus sí también tanto te tiene tienen todo todos tu un "
    "una "
    "unas uno unos ya yo",
    "agli d l ai al alla alle allo anche ancora aveva avevano c'è che chi ci ciò coi col come con "
    "contro cosa "
    "cui da dagli dai dal dalla dalle dallo degli dei del dell della delle dello di dopo dove due "
    "ebbe e "
    "ed era erano essere fa fino fra fu furono gli ha hanno ho i il in io la le lei li lo loro lui "
    "ma "
    "mentre mi mia mio molto ne negli nei nel nell nella nelle nello noi non nostro o ogni per "
    "perché "
    "però più poi prima quale quali quando quanti quanto quella quelle quelli quello questa queste "
    "questi questo qui quindi se sei si sia sono sotto stata stato su sua sue sugli sui sul sulla "
    "sulle "
    "suo suoi tra tutti tutto un una uno verso è",
    "alguns ao aos aquela aquele aqui as assim até com como contra da das de dela dele deles "
    "depois desde "
    "do dos durante e ela elas ele eles em entre era eram essa esse esta estava este está estão eu "
    "foi "
    "foram há isso isto já lhe mais mas me mesmo meu minha muito na nas nem no nos nossa nosso num "
    "numa "
    "não nós o onde os ou para pela pelas pelo pelos pois por porque qual quais quando quanto que "
    "quem "
    "se sem ser seu seus sido sobre sua suas são só também tem tinha todos tudo têm um uma umas "
    "uns você "
    "vocês à às é",
    "aan al alle alleen als altijd bij daar dan dat de deze die dit doch doen door dus een eens en "
    "er ge "
    "geen had heb hebben heeft hem het hier hij hoe hun ik in is ja je kan kon kunnen maar me meer "
    "men "
    "met mij mijn moet na naar niet niets nog nu of om omdat onder ons ook op over reeds te tegen "
    "toch "
    "toen tot u uit uw van veel voor waar waarom wanneer want was wat we wel welke werd wezen wie "
    "wij "
    "wil worden wordt zal ze zich zij zijn zo zonder zou",
    "alla att av blev bli blir de dem den denna deras dess det detta dig din du där då efter ej "
    "ett från "
    "för ha hade han hans har hela henne hennes hon honom hur här i icke inte jag ju kan kunde man "
    "med "
    "mellan men mig min mot mycket ni nu när någon något några och om oss på samma sedan sig sin "
    "sitta "
    "själv skulle som så till under upp ut utan vad var vara varför varit vars vem vi vid vilka "
    "vilken "
    "vilket år åt än är över",
    "af alle anden at blev blive bliver da de dem den denne der deres det dette dig din dog du "
    "efter eller "
    "en end er et for fra ham han hans har havde have hende hendes her hos hun hvad hvem hvilke "
    "hvilken "
    "hvilket hvis hvor hvordan hvorfor hvornår i ikke ind jeg jer jo kunne man mange med meget "
    "mellem men "
    "mig min mod når nogen noget nogle nu og også om op os over på selv sig sin skal skulle som "
    "sådan "
    "til ud under var vi vil ville vor være været",
    "ei eivät emme en että he heidän heitä hän hänelle hänen häntä ja joka jos jotka jotta jota "
    "josta jossa "
    "kanssa keitä ketkä kuin kuinka kuka kun kuten me mihin mikä miksi mikäli milloin minkä minä "
    "missä "
    "mistä mitkä mitä mukaan mutta myös ne niiden niin niitä noin nuo nyt oli olla olen olet "
    "olevat olivat "
    "olisi ollut on ovat se sekä sen siihen siitä sinä sitä siinä tai te tuo tämä tämän tätä tässä "
    "vaan "
    "vai vaikka voi voidaan voivat",
    "abban ahhoz ahol aki akik akkor alatt amely amelyek ami amikor annak arra át az azok azon azt "
    "azután "
    "azért be csak de egy egyes egyik ehhez ekkor el ember ennek erre ez ezek ezt ezért fel hanem "
    "hiszen "
    "hogy hogyan igen ill is itt jól kell ki kik között közül le lehet lesz lett maga majd már meg "
    "mely "
    "melyek mert mi mikor milyen minden mint mit miért más míg ne nem nincs olyan össze pedig sem "
    "sok "
    "szerint során több tehát ugyanis után vagy vagyok valamint van vannak volt voltak",
    "acea aceasta această aceste acest acesta acestea acestei acestui ai al ale am ar are asupra "
    "au avea "
    "ca care cât câte către ce cei cel cele celor cu cum cât da dacă dar de decât deci din dintre "
    "doar "
    "după ea ei el ele erau este eu fi fie fiind fost în între la le lor lui mai mult nici noastră "
    "nu o "
    "pe pentru poate prin sa sale sau se și si sunt său ta toate tot toți un una unde unei unor "
    "unui "
    "vor către ceea când",
    "acaba ama ancak arasında aslında ayrıca bazı belki ben beni benim bile bir biri birçok biz "
    "bizim bu "
    "buna bunlar bunu bunun böyle çok çünkü da daha de değil diğer diye dolayı en gibi göre hangi "
    "hatta "
    "hem henüz hep her hiç için ile ilk ise iki kadar kendi kez ki kim kimin mi mu mü mı nasıl ne "
    "neden "
    "nedir nerede niçin nın o olan olarak oldu olduğu olduğunu olup on ona onlar onun oysa pek "
    "sadece "
    "sen siz sonra şey şu tarafından tüm var ve veya ya yani yok zaman",
};

struct Entry {
  std::string_view word;
  std::uint32_t languages = 0;
};

// Calls `use` with each word and its language.
template <typename Use>
constexpr void ForEachWord(Use use) {
  for (std::size_t language = 0; language < kLanguageCount; ++language) {
    std::string_view words = kStopWords[language];
    while (!words.empty()) {
      const std::size_t size = std::min(words.find(' '), words.size());
      use(words.substr(0, size), language);
      words.remove_prefix(std::min(size + 1, words.size()));
    }
  }
}

constexpr std::size_t kEntryCount = [] {
  std::size_t count = 0;
  ForEachWord([&](std::string_view, std::size_t) { ++count; });
  return count;
}();

// Sorted by word; a word of several languages has several entries that all hold all its bits.
constexpr auto kEntries = [] {
  std::array<Entry, kEntryCount> entries;
  std::size_t at = 0;
  ForEachWord([&](std::string_view word, std::size_t language) {
    entries[at++] = {word, std::uint32_t{1} << language};
  });
  std::ranges::sort(entries, {}, &Entry::word);
  for (std::size_t begin = 0; begin < entries.size();) {
    std::size_t end = begin;
    std::uint32_t languages = 0;
    for (; end < entries.size() && entries[end].word == entries[begin].word; ++end) {
      languages |= entries[end].languages;
    }
    for (; begin < end; ++begin) entries[begin].languages = languages;
  }
  return entries;
}();

constexpr std::size_t kLongestStopWord = std::ranges::max(kEntries, {}, [](const Entry& entry) {
                                           return entry.word.size();
                                         }).word.size();

}  // namespace

std::uint32_t StopWordLanguages(std::string_view word) {
  if (word.size() > kLongestStopWord) return 0;
  const auto found = std::ranges::lower_bound(kEntries, word, {}, &Entry::word);
  return found != kEntries.end() && found->word == word ? found->languages : 0;
}

void LanguageGuess::Add(std::uint32_t stop_word_languages) {
  ++words_;
  for (std::size_t i = 0; i < kLanguageCount; ++i) hits_[i] += stop_word_languages >> i & 1U;
}

Language LanguageGuess::Best() const {
  const auto best = std::ranges::max_element(hits_);
  if (*best == 0 || *best * 20 < words_) return Language::kEnglish;
  return static_cast<Language>(best - hits_);
}

}  // namespace perdure

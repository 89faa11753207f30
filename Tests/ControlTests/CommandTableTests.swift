import Control
import Testing

struct CommandTableTests {
  @Test func everyCommandHasAUsageLineAndHelpListsThemAll() async throws {
    let client = try await Station().client()
    let lines = try await client.ask("help")
    #expect(lines.last == "OK count=12")
    #expect(
      lines.contains(
        "- usage=\"capture start [name=] [shots=] [passes=] [overcapture=] [box=]\" summary=\"starts a scan\""))
    #expect(lines.contains { $0.hasPrefix("- usage=\"watch CLASS… [until=]\"") })
    #expect(lines.contains { $0.hasPrefix("- usage=\"help [VERB…]\"") })
  }

  @Test func helpExplainsOneVerb() async throws {
    let client = try await Station().client()
    let lines = try await client.ask("help capture start")
    #expect(lines.contains("- key=shots is=\"a whole number from 4 to 400\""))
    #expect(lines.last == "OK")
    #expect(try await client.ask("help capture").count == 8)
    #expect(try await client.ask("help fly") == ["ERR BADCMD \"unknown verb fly; see help\" verb=fly"])
    #expect(try await client.ask("help capture fly").last?.hasPrefix("ERR BADARG") == true)
  }

  @Test(arguments: [
    ("fly", "ERR BADCMD \"unknown verb fly; see help\" verb=fly"),
    ("statsu", "ERR BADCMD \"unknown verb statsu; did you mean status? see help\" verb=statsu nearest=status"),
    ("capture", "ERR BADARG \"capture needs a word: start, pause\""),
    ("capture strat", "ERR BADARG \"capture knows no word strat; did you mean start?\" word=strat nearest=start"),
    ("capture pause now", "ERR BADARG \"capture pause takes no word now\" word=now"),
    ("status now", "ERR BADARG \"status takes no word now\" word=now"),
    ("status x=1", "ERR BADARG \"status knows no key x=; usage: status\" key=x"),
    (
      "capture start shotz=3",
      "ERR BADARG \"capture start knows no key shotz=; did you mean shots=?\" key=shotz nearest=shots"
    ),
    ("capture start shots=3", "ERR BADARG \"capture start: shots= is a whole number from 4 to 400\" key=shots"),
    ("capture start shots=9e1", "ERR BADARG \"capture start: shots= is a whole number from 4 to 400\" key=shots"),
    ("capture start overcapture=maybe", "ERR BADARG \"capture start: overcapture= is yes or no\" key=overcapture"),
    ("capture start box=1,2,3", "ERR BADARG \"capture start: box= is 6 numbers in mm, comma between\" key=box"),
    ("answer", "ERR BADARG \"answer needs ID; usage: answer ID CHOICE\""),
    ("answer 3", "ERR BADARG \"answer needs CHOICE; usage: answer ID CHOICE\""),
    ("answer 3 fliped", "ERR BADARG \"answer: CHOICE is flipped or finish; did you mean flipped?\" word=fliped"),
    ("answer 3 flipped now", "ERR BADARG \"answer takes no word now; usage: answer ID CHOICE\" word=now"),
    ("watch", "ERR BADARG \"watch needs CLASS; usage: watch CLASS… [until=]\""),
    (
      "watch stat",
      "ERR BADARG \"watch: CLASS is state, progress, feedback, prompt, battery or button; did you mean state?\" word=stat"
    ),
    ("watch state until=12", "ERR BADARG \"watch: until= is job: and a job's number\" key=until"),
    ("watch state until=job:99", "ERR NOTFOUND \"there is no job 99; see jobs\" job=99")
  ])
  func whatIsUnknownOrWrongIsRefusedWithTheNearestRightThing(request: String, answer: String) async throws {
    let client = try await Station().client()
    #expect(try await client.ask(request) == [answer])
  }
}

/// What `COMMAND --help` says of the commands that follow an agent.
enum CommandUsage {
  /// Of `twinrig scan`.
  static let scan = """
    usage: twinrig scan [--yes] [key=value …]
    Starts a scan and stays with it until its model is ready. What is not given is as the agent is configured.
      name=NAME               what to call the object
      shots=N                 stops of the turntable in a pass, 4 to 400
      passes=N                1 to 9; before each but the first the object is turned over, or the head moved
      detail=LEVEL            the model's: preview, reduced or medium
      overcapture=yes         more shots than this rig will use, kept for a bigger machine; or no
      box=x0,y0,z0,x1,y1,z1   corners of the object's box in mm, instead of the box that the rig finds
      --yes                   read no answers here: they are given at the rig
    A bar shows how far the scan is, and then the model; above it stands what the rig asks for and what goes wrong. With
    --json, before the command, events are printed instead, one JSON object a line.
    What the rig asks for is answered here at a terminal: Enter for what it advises, or a word of those offered, of which the
    first letters do. Elsewhere and with --yes the rig's answer button does, or twinrig answer ID CHOICE.
    A scan that pauses goes on with twinrig capture resume, and ends with what there is with twinrig capture finish.
    ^C gives the scan up, and what was taken is kept; once more leaves at once.
    Exit codes: 0 the model is ready, 1 failed, 2 wrong usage, 3 no agent, 4 refused by the agent, 130 cancelled.
    """

  /// Of `twinrig watch`.
  static let watch = """
    usage: twinrig watch [CLASS…] [until=job:N]
    Shows what holds now and then what happens, an event a line. Of which class; of all where none is named:
      state      a scan or another job goes from one state to another
      progress   how far a job is
      coverage   from how many directions there are pictures
      feedback   what a person could mend: light, distance, the object's place
      prompt     what the rig asks for, and what was answered
      sample     a picture is kept, taken again or left out
      file       a file is ready
      battery    a battery's level
      button     a button goes down or up
      device     a device of the rig is gone, or there again
    until=job:N ends the watch with that job's last event; else it ends with the agent, with its reader, or by ^C.
    With --json, before the command, each event is a JSON object with its class and fields: docs/protocol.md explains them.
    """
}

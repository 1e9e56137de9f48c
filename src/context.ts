// The interface between a command and the outside world. This file holds types only.

import type * as processes from 'node:child_process'
import type { Readable } from 'node:stream'
import type { Network, NetworkOptions } from './client/network.ts'
import type { Clock } from './contract/time.ts'
import type { Assistant } from './journal/access.ts'
import type { Suggest } from './text/suggest.ts'
import type { Ask } from './ui/prompts/ask.ts'
import type { ControllingTerminal } from './ui/terminal/controlling-terminal.ts'
import type { Writer } from './ui/terminal/io.ts'

type Variables = Readonly<Record<string, string | undefined>>

type ChildProcess = {
  /** Resolves to the exit code as a shell reports it. Rejects if the program cannot be started. */
  readonly ended: Promise<number>
  signal(name: NodeJS.Signals): void
}

export type Context = {
  readonly version: string
  readonly node: { readonly version: string; readonly program: string }
  readonly stdin: {
    readonly isTerminal: boolean
    stream(): Readable
  }
  readonly stdout: Writer
  readonly stderr: Writer
  /** Writes commands for the user to type. */
  readonly suggest: Suggest
  readonly clock: Clock
  /** At least 0 and less than 1. */
  readonly random: () => number
  readonly environment: Variables
  /** The value of process.platform: linux, darwin, win32. */
  readonly platform: string
  readonly home: string | undefined
  user(): string
  /** Set if an assistant runs the command. */
  readonly assistant?: Assistant
  host(): string
  /** An IANA name such as Europe/Berlin. */
  readonly timeZone: string
  /** Aborts at the first SIGINT or SIGTERM, with its name as the reason. A second signal ends the process at once. */
  readonly interrupted: AbortSignal
  /** Asks a yes-or-no question. Returns false if the user cancels. Needs stdin and stderr to be terminals. */
  askYesNo(message: string): Promise<boolean>
  /** Asks for a line of text. Enter alone takes `initial`. Returns undefined if the user cancels. */
  prompt(message: string, initial?: string): Promise<string | undefined>
  /** Like prompt, but does not echo the text. */
  promptSecret(message: string): Promise<string | undefined>
  /** Opens the terminal that the command was typed on, even if all its streams are redirected. Undefined if there is none. */
  openTerminal(): Promise<ControllingTerminal | undefined>
  asking(): Promise<Ask>
  /** Never redraws output in place, for screen readers. */
  readonly isAccessible: boolean
  /** Resolves a path against the working directory. */
  absolute(path: string): string
  openNetwork(options: NetworkOptions): Promise<Network>
  /** Runs a program on this terminal, with these variables added to its environment. */
  run(command: readonly string[], variables: Variables): ChildProcess
  /**
   * Runs a program without a terminal. Writes the text to its stdin, or returns its output if there is no text.
   * Rejects if the program cannot be started, fails, or takes longer than 5 s.
   */
  pipe(command: readonly string[], text?: string): Promise<string>
  /**
   * Whether a different orderctl process sees this process's lock on the SQLite file. Rejects if the other process
   * cannot be started or does not respond within 30 s.
   */
  isLockSeen(file: string): Promise<boolean>
  /** Starts a program, or with the option `shell` a command of a shell. */
  spawn(file: string, words: readonly string[], options: processes.SpawnOptions): processes.ChildProcess
}

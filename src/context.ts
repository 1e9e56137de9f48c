// What a command is given: everything that it touches outside itself. Types only.
import type { ChildProcessByStdio, SpawnOptions } from 'node:child_process'
import type { Readable } from 'node:stream'
import type { Network, NetworkOptions } from './client/network.ts'
import type { Clock } from './contract/clock.ts'
import type { Ask } from './ui/prompts/asking.ts'
import type { ControllingTerminal } from './ui/terminal/controlling-terminal.ts'
import type { Writer } from './ui/terminal/io.ts'

/** Undefined: not there at all. */
type Variables = Readonly<Record<string, string | undefined>>

export type ChildProcess = {
  /** The exit code as a shell would see it; rejects where the program could not be started. */
  readonly ended: Promise<number>
  signal(name: NodeJS.Signals): void
}

export type Context = {
  readonly version: string
  readonly stdin: {
    readonly isTerminal: boolean
    read(): Promise<Uint8Array>
  }
  readonly stdout: Writer
  readonly stderr: Writer
  readonly clock: Clock
  /** From 0 up to, but never, 1. */
  readonly random: () => number
  readonly environment: Readonly<Record<string, string | undefined>>
  /** As Node names it: linux, darwin, win32. */
  readonly platform: string
  readonly home: string | undefined
  /** Who runs this, as the system names them. */
  user(): string
  /** An IANA name such as Europe/Berlin. */
  readonly timeZone: string
  /** Aborts with the first SIGINT or SIGTERM, its name the reason; a second one ends the process at once. */
  readonly interrupted: AbortSignal
  /** Asks a person; false where the question is left. Only where stdin and stderr are terminals. */
  confirm(message: string): Promise<boolean>
  /** Asks for a line; undefined where the question is left. The second is not shown while it is typed. */
  prompt(message: string): Promise<string | undefined>
  promptSecret(message: string): Promise<string | undefined>
  /** Opens the terminal that the command was typed on, even if all its streams are redirected. Undefined if there is none. */
  openTerminal(): Promise<ControllingTerminal | undefined>
  /** Loads what asks one question after another. */
  asking(): Promise<Ask>
  /** Nothing is drawn again in place. */
  readonly isAccessible: boolean
  /** A path from the root, of one from the folder that this runs in. */
  absolute(path: string): string
  /** Rejects with Node's own error where the file cannot be read. */
  readFile(path: string): Promise<Uint8Array>
  /** Opens the network as a transport to one base URL. */
  openNetwork(options: NetworkOptions): Promise<Network>
  /** Runs a program on this terminal, with these variables beside its own. */
  run(command: readonly string[], variables: Variables): ChildProcess
  /**
   * Runs a program of which a person sees nothing: takes the text, or gives what it prints where there is none.
   * Rejects where it cannot be started, fails, or takes longer than 5 s.
   */
  pipe(command: readonly string[], text?: string): Promise<string>
  /**
   * Whether another process of orderctl sees that this one has locked the SQLite file. Rejects if that process cannot
   * be started, or does not answer within 30 s.
   */
  isLockSeen(file: string): Promise<boolean>
  /** Starts a line of the shell, to read what it prints. */
  shell(line: string, options: SpawnOptions): ChildProcessByStdio<null, Readable, null>
}

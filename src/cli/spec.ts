// A command in one description: its arguments, its flags and its help. Commander's command, the typed options and the
// errors of wrong flags follow from it, and from commander's command the TAB key, the man pages and docs/commands.md.
import type { Context } from '../context.ts'

/** In the order of the help. */
export const flagGroups = ['Output', 'Common', 'Advanced'] as const

/** What only a person may do, and not an assistant that runs a shell. */
export type Act =
  | 'spend money from a real account'
  | 'reveal codes of a real account'
  | 'send codes of a real account to a webhook'
  | 'change the limits of a real account'
  | 'settle an order'
  | 'approve a batch'
  | 'change profiles'
  | 'cancel a batch'
  | 'forget a journal'
  | 'give permissions in a journal'

/** The key of a flag is its name: `maxTotal` is --max-total, and `noInput` is --no-input. */
export type Flag = {
  readonly help: string
  /** The heading in the help. Those of the command itself have none. */
  readonly group?: (typeof flagGroups)[number]
  /** Few people need it: only `--help --all` lists it, below its own heading. */
  readonly advanced?: true
  readonly short?: '-q' | '-y'
  /** The placeholder of its value. A flag without one is a switch. */
  readonly takes?: string
  /** Can be repeated. Its option is a list. */
  readonly repeats?: true
  /** Returns undefined for a wrong value, and may say what is wrong with it. */
  readonly parse?: (text: string, given: Given) => unknown
  /** What `parse` accepts, in words. */
  readonly allowed?: string
  /** The value without the flag. */
  readonly default?: unknown
  readonly required?: true
  /** It needs one of these flags or arguments. */
  readonly needs?: { readonly oneOf: readonly string[]; readonly because?: string }
  /** The flags and arguments that it excludes, each with the reason, which may be empty. */
  readonly excludes?: Readonly<Record<string, string>>
  /** The candidates of the TAB key, if its placeholder does not select them. */
  readonly completes?: string
  /** What the command does because of the flag. */
  readonly act?: Act
}

/** What a value is parsed with. */
export type Given = {
  readonly context: Context
  /** Says what is wrong with the value, in a whole sentence. */
  readonly problem: (text: string) => undefined
}

/** The values of a rule between flags. */
export type CheckInput = Pick<Given, 'context'> & {
  /** Such as `batch run`. */
  readonly path: string
  /** Whether a flag or an argument was given, even with a wrong value. */
  readonly isGiven: (key: string) => boolean
}

/** `field` is the flag that is wrong. */
export type Problem = { readonly text: string; readonly field: string }

type Arg = {
  /** `[file]`, `<file>`, or `[file...]`. */
  readonly form: string
  readonly help?: string
  /** Its name in an error: 'a file'. */
  readonly nameInErrors?: string
  readonly completes?: string
}

export type Spec = {
  /** The line in the help of the parent command. */
  readonly summary?: string
  /** Only `--help --all` lists this subcommand. */
  readonly advanced?: true
  readonly description: string
  readonly usage?: string
  readonly args?: Readonly<Record<string, Arg>>
  readonly flags: Readonly<Record<string, Flag>>
  readonly examples: readonly string[]
  /** What `--help --all` says below the flags. */
  readonly notes?: string
  /** The page of docs/ that says more. */
  readonly guide?: string
  /** What the command always does. */
  readonly act?: Act
  /** Throws for unexpected words and unknown flags. Without it, commander's error repeats them. */
  readonly refuseWords?: (words: readonly string[]) => void
  /** The rules between parsed values. A wrong value counts as omitted. */
  readonly check?: (options: never, input: CheckInput) => readonly Problem[]
}

type Value<F> = F extends { readonly parse: (...given: never) => infer Parsed }
  ? Exclude<Parsed, undefined>
  : F extends { readonly takes: string }
    ? string
    : boolean

type FlagOption<F> = F extends { readonly repeats: true }
  ? readonly Value<F>[]
  : F extends { readonly takes: string }
    ? F extends { readonly default: unknown } | { readonly required: true }
      ? Value<F>
      : Value<F> | undefined
    : boolean

type ArgOption<F> = F extends { readonly form: `${string}...${string}` }
  ? readonly string[]
  : F extends { readonly form: `<${string}` }
    ? string
    : string | undefined

/** The parsed arguments and flags of a command, by their keys. */
export type OptionsOf<S extends Pick<Spec, 'args' | 'flags'>> = {
  readonly [Name in keyof S['flags']]: FlagOption<S['flags'][Name]>
} & { readonly [Name in keyof S['args']]: ArgOption<S['args'][Name]> }

export type Program = {
  /** Runs another command line, here or in another context. Returns its exit code. */
  readonly runWords: (words: readonly string[], elsewhere?: Context) => Promise<number>
  /** Loads the description of a command, such as `batch plan`. */
  readonly loadSpec: (path: string) => Promise<Spec>
  readonly printHelp: () => void
  /** Throws if an assistant runs the command, and no person consents. For an act that no flag alone decides. */
  readonly requirePerson: (act: Act, options: object) => Promise<void>
}

/** Returns the exit code, or nothing if the command can only succeed or throw. */
type Run<Options> =
  | ((context: Context, options: Options, program: Program) => number | Promise<number>)
  | ((context: Context, options: Options, program: Program) => void | Promise<void>)

export type CommandNode = {
  readonly spec: Spec
  /** Loads the steps of the command. Without it, the command prints its help. */
  readonly load?: () => Promise<Run<never>>
  readonly commands: Readonly<Record<string, CommandNode>>
}

/** Every command has these flags. Help lists them last. */
const basics = {
  json: { group: 'Output', help: 'print JSON; errors as one JSON object on stderr' },
  noColor: { advanced: true, help: 'print without colour' },
} as const

type OwnSpec = Omit<Spec, 'check' | 'flags'> & Partial<Pick<Spec, 'flags'>>

type WithBasics<S extends OwnSpec> = S & { readonly flags: typeof basics }

/** Adds the flags of every command. The types of the options follow from the literal types of the description. */
export const defineSpec = <const S extends OwnSpec>(
  spec: S,
  check?: (options: OptionsOf<WithBasics<NoInfer<S>>>, input: CheckInput) => readonly Problem[],
) => ({
  ...(spec as WithBasics<S>),
  flags: { ...spec.flags, ...basics, ...spec.flags } as WithBasics<S>['flags'],
  check,
})

export const defineCommand = <S extends Spec>(
  spec: S,
  load?: () => Promise<Run<OptionsOf<S>>>,
  commands: CommandNode['commands'] = {},
): CommandNode => ({ spec, load, commands })

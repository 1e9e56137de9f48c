// A command in one description: its arguments, its flags and its help. Commander's command, the typed options and the
// errors of wrong flags follow from it, and from commander's command the TAB key, the man pages and docs/commands.md.
import { Argument, type Command, Option } from 'commander'
import type { Context } from '../../context.ts'
import { Failure } from '../../errors.ts'

/** The key of a flag is its name: `maxTotal` is --max-total, and `noInput` is --no-input. */
type Flag = {
  readonly help: string
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
  readonly not?: Readonly<Record<string, string>>
  /** The candidates of the TAB key, if its placeholder does not select them. */
  readonly offers?: string
}

/** What a value is parsed with. */
export type Given = {
  readonly context: Context
  /** Says what is wrong with the value, in a whole sentence. */
  readonly problem: (text: string) => undefined
}

type Arg = {
  /** `[file]`, `<file>`, or `[file...]`. */
  readonly form: string
  readonly help?: string
  /** Its name in an error: 'a file'. */
  readonly called?: string
  readonly offers?: string
}

export type Spec = {
  /** The line in the help of the parent command. */
  readonly summary?: string
  readonly description: string
  readonly usage?: string
  readonly args?: Readonly<Record<string, Arg>>
  readonly flags: Readonly<Record<string, Flag>>
  readonly examples: readonly string[]
  /** The end of the help. */
  readonly notes?: string
  /** Throws for unexpected words and unknown flags. Without it, commander's error repeats them. */
  readonly refuseWords?: (words: readonly string[]) => void
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
export type OptionsOf<S extends Spec> = {
  readonly [Name in keyof S['flags']]: FlagOption<S['flags'][Name]>
} & { readonly [Name in keyof S['args']]: ArgOption<S['args'][Name]> }

/** The program that a command is part of. */
type Program = {
  /** Runs another command line in place of the command. Returns its exit code. */
  readonly runWords: (words: readonly string[]) => Promise<number>
  readonly printHelp: () => void
}

type Run<Options> = (context: Context, options: Options, program: Program) => Promise<number>

export type CommandNode = {
  readonly spec: Spec
  /** Without it, the command prints its help. */
  readonly run?: Run<never>
  readonly commands: Readonly<Record<string, CommandNode>>
}

/** Checks a description. Its literal types become the types of the options. */
export const defineSpec = <const S extends Spec>(spec: S): S => spec

export const defineCommand = <S extends Spec>(
  spec: S,
  run?: Run<OptionsOf<S>>,
  commands: CommandNode['commands'] = {},
): CommandNode => ({ spec, run, commands })

/** `maxTotal` → `--max-total`. */
const flagName = (key: string): string => `--${key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`

/** Where the candidates of the TAB key come from. */
export type Offering = { readonly offers?: string | undefined }

type Surroundings = {
  readonly context: Context
  readonly setExit: (code: number) => void
  readonly runWords: Program['runWords']
}

/** Gives the arguments, flags, help and action to a command of commander. `path` is `batch run`, for example. */
export const addSpec = (command: Command, path: string, node: CommandNode, around: Surroundings): void => {
  const { spec, run, commands } = node
  command.description(spec.description).helpOption('-h, --help', 'print this help').helpCommand(false)
  if (spec.summary !== undefined) command.summary(spec.summary)
  if (spec.usage !== undefined) command.usage(spec.usage)
  if (spec.refuseWords !== undefined) command.allowExcessArguments().allowUnknownOption()
  for (const { form, help, offers } of Object.values(spec.args ?? {})) {
    command.addArgument(Object.assign(new Argument(form, help), { offers }))
  }
  for (const [key, flag] of Object.entries(spec.flags)) command.addOption(createOption(key, flag))
  command.addHelpText('before', `Examples:\n${spec.examples.map((line) => `  ${line}\n`).join('')}`)
  if (spec.notes !== undefined) command.addHelpText('after', spec.notes)
  command.action(async () => {
    if (run === undefined) return command.outputHelp()
    spec.refuseWords?.(command.args.slice(command.registeredArguments.length))
    const options = readOptions(around.context, path, spec, command)
    const program = { runWords: around.runWords, printHelp: () => command.outputHelp() }
    around.setExit(await run(around.context, options as never, program))
  })
  for (const [name, each] of Object.entries(commands)) {
    addSpec(command.command(name), `${path} ${name}`, each, around)
  }
}

const createOption = (key: string, flag: Flag): Option & Offering => {
  const { help, short, takes, repeats, required, offers } = flag
  const name = short === undefined ? flagName(key) : `${short}, ${flagName(key)}`
  const form = takes === undefined ? name : `${name} ${takes}`
  const option = new Option(form, repeats ? `${help}; can be repeated` : help)
  if (repeats) option.argParser((text: string, earlier: readonly string[] = []) => [...earlier, text])
  return Object.assign(option.makeOptionMandatory(required === true), { offers })
}

export type Problem = { readonly text: string; readonly field: string }

/** Throws one error for all problems. */
export const refuseFlags = (
  path: string,
  problems: readonly Problem[],
  fix = `orderctl ${path} --help`,
): void => {
  const [first] = problems
  if (first === undefined) return
  const { text, field } = first
  if (problems.length === 1) throw new Failure('usage', text, { field, fix })
  const violations = problems.map((problem) => problem.text)
  throw new Failure('usage', `${problems.length} flags are invalid`, { field, fix, violations })
}

/** Throws all wrong flags as one error. */
const readOptions = (context: Context, path: string, spec: Spec, command: Command): object => {
  const raw = command.opts()
  const options: Record<string, unknown> = {}
  const problems: Problem[] = []
  const given = new Set<string>()
  for (const [index, key] of Object.keys(spec.args ?? {}).entries()) {
    const value: string | readonly string[] | undefined = command.processedArgs[index]
    options[key] = value
    if (Array.isArray(value) ? value.length > 0 : value !== undefined) given.add(key)
  }
  for (const [key, flag] of Object.entries(spec.flags)) {
    const value = raw[commanderKey(key)]
    const isGiven = value !== undefined && value !== isNegated(key)
    if (isGiven) given.add(key)
    if (flag.takes === undefined) options[key] = isGiven
    else if (flag.repeats) {
      const texts: readonly string[] = value ?? []
      options[key] = texts
        .map((text) => readValue(context, key, flag, text, problems))
        .filter((each) => each !== undefined)
    } else options[key] = isGiven ? readValue(context, key, flag, value, problems) : flag.default
  }
  for (const key of given) problems.push(...findConflicts(spec, key, given))
  refuseFlags(path, problems)
  return options
}

const isNegated = (key: string): boolean => /^no[A-Z]/.test(key)

/** Commander calls --no-input `input`, which is true without the flag. */
const commanderKey = (key: string): string =>
  isNegated(key) ? key.charAt(2).toLowerCase() + key.slice(3) : key

const readValue = (
  context: Context,
  key: string,
  { parse, allowed }: Flag,
  text: string,
  problems: Problem[],
): unknown => {
  if (parse === undefined) return text
  const before = problems.length
  const field = flagName(key)
  const problem = (said: string): undefined => void problems.push({ text: said, field })
  const value = parse(text, { context, problem })
  if (value === undefined && problems.length === before) {
    problem(`${field} is ${JSON.stringify(text)}; allowed: ${allowed}`)
  }
  return value
}

const findConflicts = ({ flags, args = {} }: Spec, key: string, given: ReadonlySet<string>): Problem[] => {
  const { needs, not = {} } = flags[key] ?? {}
  const field = flagName(key)
  const nameOf = (other: string): string => args[other]?.called ?? flagName(other)
  const because = (reason = ''): string => (reason === '' ? '' : ` ${reason}, so it`)
  const problems = Object.entries(not)
    .filter(([other]) => given.has(other))
    .map(([other, reason]) => ({
      text: `${field}${because(reason)} cannot be used with ${nameOf(other)}`,
      field,
    }))
  if (needs === undefined || needs.oneOf.some((other) => given.has(other))) return problems
  const names = needs.oneOf.map(nameOf).join(' or ')
  return [...problems, { text: `${field}${because(needs.because)} needs ${names}`, field }]
}

// Turns the description of a command into a command of commander and its help, and what was typed into typed options or one
// error.

import { Argument, type Command, Help, Option } from 'commander'
import type { Context } from '../context.ts'
import { exitCodes, Failure } from '../errors.ts'
import { flagName } from '../text/flags.ts'
import { type CommandNode, type Flag, flagGroups, type Problem, type Program, type Spec } from './spec.ts'

/** Where the candidates of the TAB key come from. */
export type Completed = Pick<Flag, 'completes'>

type Surroundings = {
  readonly context: Context
  readonly setExit: (code: number) => void
} & Pick<Program, 'runWords' | 'loadSpec' | 'requirePerson'>

/**
 * Gives the arguments, flags, help and action to a command of commander. `path` is `batch run`, for example. `guide` is that of its
 * parent.
 */
export const addSpec = (
  command: Command,
  path: string,
  node: CommandNode,
  around: Surroundings,
  guide?: string,
): void => {
  const spec = { guide, ...node.spec }
  const { load, commands } = node
  command.description(spec.description).helpCommand(false)
  command.addHelpOption(
    new Option('-h, --help', 'print this help, or all of it with --all').helpGroup('Common flags:'),
  )
  if (spec.summary !== undefined) command.summary(spec.summary)
  if (spec.usage !== undefined) command.usage(spec.usage)
  if (spec.refuseWords !== undefined) command.allowExcessArguments().allowUnknownOption()
  for (const { form, help, completes } of Object.values(spec.args ?? {})) {
    command.addArgument(Object.assign(new Argument(form, help), { completes }))
  }
  const flags = Object.entries(spec.flags)
  for (const group of [undefined, ...flagGroups])
    for (const [key, flag] of flags)
      if ((flag.advanced ? 'Advanced' : flag.group) === group)
        command.addOption(createOption(key, flag, group))
  addHelp(command, spec)
  const printHelp = (): void => {
    if (command.getOptionValue('json') !== true) return void command.outputHelp()
    throw new Failure('usage', `${path} alone prints its help, which is not JSON`, {
      field: '--json',
      fix: () => `orderctl ${path} --help`,
    })
  }
  command.action(async () => {
    if (load === undefined) return printHelp()
    spec.refuseWords?.(command.args.slice(command.registeredArguments.length))
    const { options, given } = readOptions(around.context, path, spec, command)
    const acts = [spec.act, ...flags.map(([key, { act }]) => (given.has(key) ? act : undefined))]
    for (const act of new Set(acts)) if (act !== undefined) await around.requirePerson(act, options)
    const run = await load()
    const exit = await run(around.context, options as never, { ...around, printHelp })
    around.setExit(exit ?? exitCodes.ok.code)
  })
  for (const [name, each] of Object.entries(commands)) {
    const subcommand = command.command(name).helpGroup(each.spec.advanced ? advancedCommands : 'Commands:')
    addSpec(subcommand, `${path} ${name}`, each, around, spec.guide)
  }
}

/** A command with what its help says beside its arguments and flags. */
export type Described = Command & { readonly spec?: Pick<Spec, 'examples' | 'notes' | 'guide'> }

export const addHelp = (command: Command, spec: NonNullable<Described['spec']>): Described =>
  Object.assign(command, { spec })

const advancedCommands = 'Advanced commands:'
const advancedFlags = 'Advanced flags:'
const isAdvanced = (heading: string): boolean => [advancedCommands, advancedFlags].includes(heading)

type Row = readonly [heading: string, term: string, meaning: string]

const listRows = (command: Command, helper: Help): Row[] => [
  ...helper
    .visibleCommands(command)
    .map((each): Row => [each.helpGroup(), helper.subcommandTerm(each), each.summary()]),
  ...helper
    .visibleArguments(command)
    .map((each): Row => ['Arguments:', helper.argumentTerm(each), helper.argumentDescription(each)]),
  ...helper.visibleOptions(command).map((each): Row => {
    const heading = each.helpGroupHeading ?? 'Flags:'
    return [heading, helper.optionTerm(each), helper.optionDescription(each)]
  }),
]

/** `isWhole`: also what is advanced, and the notes. */
export const formatHelp = (command: Command, helper: Help, isWhole: boolean): string => {
  const { examples = [], notes, guide } = (command as Described).spec ?? {}
  const width = helper.helpWidth ?? 80
  const rows = listRows(command, helper)
  const daily = rows.filter(([heading]) => !isAdvanced(heading))
  const advanced = rows.filter(([heading]) => isAdvanced(heading))
  const shown = isWhole ? [...daily, ...advanced] : daily
  const termWidth = Math.max(...shown.map(([, term]) => term.length))
  const lists = [...Map.groupBy(shown, ([heading]) => heading)].map(([heading, listed]) => {
    const items = listed.map(([, term, meaning]) => helper.formatItem(term, termWidth, meaning, helper))
    return [heading, ...items].join('\n')
  })
  const left = new Set(advanced.map(([heading]) => heading))
  const more = [
    ...(left.has(advancedCommands) ? ['commands'] : []),
    ...(left.has(advancedFlags) ? ['flags'] : []),
    ...(notes === undefined ? [] : ['notes']),
  ].join(' and ')
  const ends = [
    ...(guide === undefined ? [] : [['Guide: orderctl', 'help', '--guide', guide].join(' ')]),
    ...(isWhole || more === '' ? [] : [`More ${more}: ${nameOf(command)} --help --all`]),
  ]
  const parts = [
    `Usage: ${helper.commandUsage(command)}`,
    helper.boxWrap(command.description(), width),
    `Examples:\n${examples.map((line) => `  ${line}`).join('\n')}`,
    ...lists,
    ...(isWhole && notes !== undefined ? [wrapNotes(notes, width)] : []),
    ...(ends.length === 0 ? [] : [ends.join('\n')]),
  ]
  return `${parts.join('\n\n')}\n`
}

/** Such as `orderctl batch run`. */
const nameOf = (command: Command): string =>
  command.parent === null ? command.name() : `${nameOf(command.parent)} ${command.name()}`

/** Notes are written for 80 columns. On a narrower terminal, paragraphs are wrapped again, and lists stay as they are. */
const wrapNotes = (notes: string, width: number): string => {
  if (width >= 80) return notes.trim()
  const wrap = (text: string): string =>
    /^ /m.test(text) ? text : new Help().boxWrap(text.trim().replaceAll('\n', ' '), width)
  return notes.trim().split('\n\n').map(wrap).join('\n\n')
}

const createOption = (key: string, flag: Flag, group: Flag['group']): Option & Completed => {
  const { help, short, takes, repeats, required, completes } = flag
  const name = short === undefined ? flagName(key) : `${short}, ${flagName(key)}`
  const form = takes === undefined ? name : `${name} ${takes}`
  const option = new Option(form, repeats ? `${help}; can be repeated` : help)
  if (repeats) option.argParser((text: string, earlier: readonly string[] = []) => [...earlier, text])
  if (group !== undefined) option.helpGroup(`${group} flags:`)
  return Object.assign(option.makeOptionMandatory(required === true), { completes })
}

/** Throws all wrong flags as one error. */
const readOptions = (
  context: Context,
  path: string,
  spec: Spec,
  command: Command,
): { readonly options: object; readonly given: ReadonlySet<string> } => {
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
    // Commander calls --no-input `input`, which is true without the flag.
    const isNegated = /^no[A-Z]/.test(key)
    const value = raw[isNegated ? key.charAt(2).toLowerCase() + key.slice(3) : key]
    const isGiven = value !== undefined && value !== isNegated
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
  const isGiven = (key: string): boolean => given.has(key)
  problems.push(...(spec.check?.(options as never, { context, path, isGiven }) ?? []))
  const [first, ...others] = problems
  if (first === undefined) return { options, given }
  const isOne = others.length === 0
  throw new Failure('usage', isOne ? first.text : `${problems.length} flags are invalid`, {
    field: first.field,
    fix: () => `orderctl ${path} --help`,
    violations: isOne ? undefined : problems.map(({ text }) => text),
  })
}

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
  if (value === undefined && problems.length === before)
    problem(`${field} is ${JSON.stringify(text)}; allowed: ${allowed}`)
  return value
}

const findConflicts = ({ flags, args = {} }: Spec, key: string, given: ReadonlySet<string>): Problem[] => {
  const { needs, excludes = {} } = flags[key] ?? {}
  const field = flagName(key)
  const nameOf = (other: string): string => args[other]?.nameInErrors ?? flagName(other)
  const because = (reason = ''): string => (reason === '' ? '' : ` ${reason}, so it`)
  const problems = Object.entries(excludes)
    .filter(([other]) => given.has(other))
    .map(([other, reason]) => ({
      text: `${field}${because(reason)} cannot be used with ${nameOf(other)}`,
      field,
    }))
  if (needs === undefined || needs.oneOf.some((other) => given.has(other))) return problems
  const names = needs.oneOf.map(nameOf).join(' or ')
  return [...problems, { text: `${field}${because(needs.because)} needs ${names}`, field }]
}

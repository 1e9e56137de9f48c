// The diagrams of docs/pictures/: boxes and arrows as data. What they say comes from the tables of the source, so that a
// diagram cannot become untrue.
import { readFileSync } from 'node:fs'
import { isFinal, isPastPending, pendingState, stateNames } from '../../src/contract/states.ts'
import { exitCodes, Failure } from '../../src/errors.ts'
import type { Known } from '../../src/journal/orders/entries.ts'
import type { Standing } from '../../src/journal/orders/standings.ts'
import { findFate, type Money, type Progress, type Reading, type Wants } from '../../src/operations/view.ts'
import { baseUrlName, resolveAccount } from '../../src/profiles/account.ts'
import type { Profile } from '../../src/profiles/store.ts'
import { findWordStyle, writeSuggestion } from '../../src/ui/screens/state.ts'
import type { Run } from '../support/screen.ts'
import { suggest } from '../support/suggest.ts'
import {
  characterWidth,
  lineHeight,
  type Point,
  renderFrame,
  renderRows,
  type Texts,
  type Theme,
} from './svg.ts'

type Row = readonly Run[]
type Box = {
  readonly at: Point
  readonly width: number
  readonly rows: readonly Row[]
  readonly height?: number
}
/** It points at its last point. */
type Arrow = readonly Point[]
type Label = { readonly at: Point; readonly text: string }
export type Diagram = Texts & {
  readonly boxes: readonly Box[]
  readonly arrows: readonly Arrow[]
  readonly labels?: readonly Label[]
}

/** As wide as the narrowest phone shows without scaling. */
const width = 360
const margin = 12
const padding = 6
const gap = 30

const colours = {
  good: '32',
  warning: '33',
  bad: '31',
  command: '34',
  text: undefined,
  strong: undefined,
  quiet: undefined,
}
type Tone = keyof typeof colours

const say = (text: string, tone: Tone = 'text', bold = false): Run => ({
  text,
  style: { bold, dim: tone === 'quiet', colour: colours[tone] },
})
const line = (...given: Parameters<typeof say>): Row => [say(...given)]

const heightOf = ({ rows, height }: Pick<Box, 'rows' | 'height'>): number =>
  height ?? rows.length * lineHeight + 2 * padding
const middleOf = (box: Box): number => box.at[1] + heightOf(box) / 2

const between = (left: Run, right: Run, total: number): Row => [
  left,
  say(' '.repeat(total - left.text.length - right.text.length)),
  right,
]
const widest = width - 2 * margin
/** How many characters fit into a box. */
export const charactersOf = (boxWidth: number): number =>
  Math.floor((boxWidth - 2 * padding) / characterWidth)

const exitText = (name: keyof typeof exitCodes): string => `exit ${exitCodes[name].code}`

type Step = { readonly rows: readonly Row[]; readonly side?: readonly Row[]; readonly arrow?: string }

const narrow = 152
const narrowSide = widest - narrow - 20

/** Boxes below each other. An arrow leads to the side box of a step, and one with a text to the next step. */
const flow = (steps: readonly Step[]): Omit<Diagram, keyof Texts> => {
  const boxes: Box[] = []
  const arrows: Arrow[] = []
  const labels: Label[] = []
  let top = margin
  for (const { rows, side, arrow } of steps) {
    const main: Box = { at: [margin, top], width: side === undefined ? widest : narrow, rows }
    boxes.push(main)
    let bottom = top + heightOf(main)
    if (side !== undefined) {
      const left = width - margin - narrowSide
      const box: Box = { at: [left, top], width: narrowSide, rows: side }
      boxes.push(box)
      arrows.push([
        [margin + narrow, middleOf(main)],
        [left, middleOf(main)],
      ])
      bottom = Math.max(bottom, top + heightOf(box))
    }
    const from = top + heightOf(main)
    top = bottom + gap
    if (arrow === undefined) continue
    const x = margin + narrow / 2
    arrows.push([
      [x, from],
      [x, top],
    ])
    labels.push({ at: [x + 8, top - gap + 4], text: arrow })
  }
  return { boxes, arrows, labels }
}

const facts = { repeated: false, 'by-hand': false, proof: false, again: true }
type Situation = readonly [Standing, Money, Progress, Reading]
const fateOf = ([standing, money, progress, reading]: Situation) =>
  findFate({ entry: { standing } } as Known, money, progress, reading, facts)
const exitOf = (wants: Wants, ...situation: Situation): string => exitText(fateOf(situation).exits[wants])

const drawOrder = (): Diagram => {
  const beside = (text: string, exit: string, tone?: Tone, isBold?: boolean): Row =>
    between(say(text, tone, isBold), say(exit, 'quiet'), charactersOf(narrowSide))
  const nothing = line('nothing spent', 'good')
  const created = exitText('ok')
  const lost = exitOf('final', 'creating', 'unspent', 'not-created', 'none')
  const expired = exitOf('confirmed', 'pending', 'unspent', 'expired', 'current')
  const confirmed = exitOf('confirmed', 'confirmed', 'spent', 'in-progress', 'current')
  const refused = exitOf('confirmed', 'doubtful', 'not-confirmed-so-far', 'waiting', 'current')
  const unknown = exitOf('confirmed', 'confirming', 'maybe', 'waiting', 'none')
  const paid = stateNames.filter((state) => isPastPending(state) && !isFinal(state))
  const ends = stateNames
    .filter(isFinal)
    .toReversed()
    .map((state) => ({ state, exit: exitOf('final', 'confirmed', 'spent', state as Progress, 'current') }))
  const writeEnd = ({ state, exit }: (typeof ends)[number]): Row => {
    const { mark, paint } = findWordStyle(state)
    return between(say(`${mark} ${state}`, paint), say(exit, 'quiet'), charactersOf(widest))
  }
  return {
    title: 'An order, from create to its final state',
    description:
      `orderctl create: ${created}, refused ${exitText('refused')}, no response ${lost}. Nothing is spent. ` +
      `The order is ${pendingState}, or expired: ${expired}. ` +
      `orderctl confirm: ${confirmed}, refused ${refused}, unknown ${unknown}. ` +
      `The paid order is ${paid.join(', ')}. ` +
      `orderctl watch: ${ends.map(({ state, exit }) => `${state} ${exit}`).join(', ')}.`,
    ...flow([
      {
        rows: [line('orderctl create', 'command')],
        side: [
          line('not created', 'text', true),
          nothing,
          beside('refused', exitText('refused')),
          beside('no response', lost),
        ],
        arrow: created,
      },
      {
        rows: [line(pendingState, 'text', true), nothing],
        side: [beside('expired', expired, 'text', true), nothing],
        arrow: '',
      },
      {
        rows: [line('orderctl confirm', 'command')],
        side: [
          beside('refused', refused, 'warning', true),
          beside('unknown', unknown, 'bad', true),
          line('perhaps paid'),
          line('orderctl reconcile', 'command'),
        ],
        arrow: confirmed,
      },
      { rows: [line(paid.join(', '), 'text', true), line('paid')], arrow: 'orderctl watch' },
      { rows: ends.map(writeEnd) },
    ]),
  }
}

type Answer = {
  readonly tone: Tone
  readonly says: string
  readonly orders: readonly Situation[]
  /** When to use each command, instead of its label on screens. */
  readonly when?: readonly string[]
  readonly last?: string
}

/** What each value means to a person, and the orders whose next commands are shown. */
const answers: Readonly<Record<Money, Answer>> = {
  spent: {
    tone: 'good',
    says: 'You paid. Do not order again.',
    orders: [
      ['confirmed', 'spent', 'in-progress', 'current'],
      ['confirmed', 'spent', 'successful', 'current'],
    ],
  },
  maybe: {
    tone: 'bad',
    says: 'Perhaps paid. Do not order again.',
    orders: [['confirming', 'maybe', 'waiting', 'none']],
    last: 'If that fails, settle the order.',
  },
  'not-confirmed-so-far': {
    tone: 'warning',
    says: 'Perhaps paid: no proof.',
    orders: [
      ['doubtful', 'not-confirmed-so-far', 'waiting', 'current'],
      ['doubtful', 'not-confirmed-so-far', 'expired', 'none'],
    ],
    when: ['To buy it', 'Before you order again'],
  },
  unspent: {
    tone: 'text',
    says: 'You did not pay.',
    orders: [
      ['pending', 'unspent', 'waiting', 'current'],
      ['pending', 'unspent', 'expired', 'current'],
    ],
    when: ['To buy it', 'If it expired'],
    last: 'If it is lost, run create again.',
  },
}

const drawAnswers = (): Diagram => {
  const question: Box = {
    at: [margin, margin],
    width: widest,
    rows: [line('What is the value of money?', 'text', true)],
  }
  const below = question.at[1] + heightOf(question)
  const boxes = [question]
  const arrows: Arrow[] = []
  const sentences: string[] = []
  let top = below + 14
  for (const [money, { tone, says, orders, when, last }] of Object.entries(answers)) {
    const next = orders.map((situation, index) => {
      const view = { ...fateOf(situation), money: situation[1], provenAt: undefined }
      const { label, command } = writeSuggestion(view, { orderId: 'ORDER' }, suggest)
      return { label: when?.[index] ?? label, command }
    })
    const rows = [
      line(money, tone, true),
      line(says),
      ...next.flatMap(({ label = '', command = '' }) => [
        line(`${label}:`, 'quiet'),
        line(`  ${command}`, 'command'),
      ]),
      ...(last === undefined ? [] : [line(last)]),
    ]
    const box: Box = { at: [margin + 22, top], width: widest - 22, rows }
    boxes.push(box)
    arrows.push([
      [margin + 8, below],
      [margin + 8, middleOf(box)],
      [box.at[0], middleOf(box)],
    ])
    top += heightOf(box) + margin
    const commands = next.map(({ label, command }) => `${label}: ${command}.`)
    sentences.push([`${money}: ${says}`, ...commands, ...(last === undefined ? [] : [last])].join(' '))
  }
  return { title: 'Did I pay?', description: sentences.join(' '), boxes, arrows }
}

const inUse = { home: { name: 'home' }, sandbox: { name: 'sandbox', isDefault: true } } as const

/** The settings that may choose an account. The first is stronger than those below it. */
const choices: readonly {
  text: string
  flag?: string
  variable?: [string, string]
  current?: keyof typeof inUse
}[] = [
  { text: '--profile shop', flag: 'shop' },
  { text: 'ORDERCTL_PROFILE=eu', variable: ['ORDERCTL_PROFILE', 'eu'] },
  { text: 'ORDERCTL_BASE_URL=…', variable: [baseUrlName, 'https://eu.example.com'] },
  { text: 'orderctl profile use home', current: 'home' },
  { text: 'no profile or order so far', current: 'sandbox' },
]

/** Returns the account's name, or the exit code if these settings choose none. */
const resolveChoices = (set: typeof choices): string => {
  const current = set.find((choice) => choice.current !== undefined)?.current
  const get = (name: string): Profile => ({ name, baseUrl: `https://${name}.example.com`, auth: 'bearer' })
  try {
    return resolveAccount({
      ...{ environment: Object.fromEntries(set.flatMap(({ variable }) => (variable ? [variable] : []))) },
      ...{ profileName: set[0]?.flag, needsKey: false },
      profiles: () => ({ get, current: () => current && inUse[current], list: () => [] }) as never,
      ...{ runCommand: async () => '', readStoredKey: async () => '' },
    }).name
  } catch (error) {
    if (error instanceof Failure) return exitText(error.kind)
    throw error
  }
}

const drawAccount = (): Diagram => {
  const steps = choices.map(({ text }, index) => ({ text, account: resolveChoices(choices.slice(index)) }))
  const none = { text: 'no account is selected', account: resolveChoices([]) }
  return {
    title: 'Which account a command uses',
    description: `The first that is set: ${[...steps, none].map(({ text, account }) => `${text}: ${account}`).join('; ')}.`,
    ...flow(
      [...steps, none].map(({ text, account }, index) => ({
        rows: [between(say(text, 'command'), say(account, 'strong', true), charactersOf(widest))],
        ...(index < steps.length ? { arrow: index < steps.length - 1 ? 'not set' : 'otherwise' } : {}),
      })),
    ),
  }
}

/** The people of docs/teams.md, by its first sentences and its commands. */
export const readTeam = () => {
  const page = readFileSync('docs/teams.md', 'utf8')
  const matchesOf = (pattern: RegExp): string[][] => [...page.matchAll(pattern)].map(([, ...parts]) => parts)
  const [says = ''] = matchesOf(/^In the examples, (.*)\.$/gm)[0] ?? []
  const named = [...says.matchAll(/([A-Z]\w+) ([a-z ]+?)(?=,| and |$)/g)]
  const people = [
    { name: 'The owner', does: 'owns the tables', role: matchesOf(/ OWNER (\w+) /g)[0]?.[0] ?? '' },
    ...named.map(([, name = '', does = '']) => ({ name, does, role: name.toLowerCase() })),
    { name: 'A CI job', does: 'orders', role: 'ci' },
  ]
  const withKey = [
    ...matchesOf(/^# as (\w+)\norderctl profile add .*--key-stdin$/gm),
    ...matchesOf(/^ORDERCTL_JOURNAL: postgres:\/\/(\w+)@/gm),
  ].flat()
  return people.map((person) => ({ ...person, hasKey: withKey.includes(person.role) }))
}

const drawTeam = (): Diagram => {
  const people = readTeam()
  const top = margin + lineHeight
  const step = 64
  const [left, right, space] = [84, 72, 20]
  const boxes = people.map(
    ({ name, does }, index): Box => ({
      at: [margin + left + space, top + index * step],
      width: widest - left - right - 2 * space,
      rows: [line(name, 'text', true), line(does, 'quiet')],
    }),
  )
  const height = step * people.length - (step - heightOf({ rows: [[], []] }))
  const journal: Box = { at: [margin, top], width: left, height, rows: [] }
  const service: Box = { at: [width - margin - right, top], width: right, height, rows: [] }
  const besides = people.flatMap(({ role, hasKey }, index): Label[] => {
    const y = top + index * step + padding
    const key: Label = { at: [service.at[0] + padding, y + lineHeight / 2], text: 'key' }
    return [
      { at: [margin + padding, y], text: 'role' },
      { at: [margin + padding, y + lineHeight], text: role },
      ...(hasKey ? [key] : []),
    ]
  })
  return {
    title: 'A team',
    description: people
      .map(
        ({ name, does, role, hasKey }) =>
          `${name} ${does}: role ${role}${hasKey ? ', and the key' : ', no key'}.`,
      )
      .join(' '),
    boxes: [journal, ...boxes, service],
    arrows: boxes.flatMap((box, index): Arrow[] => {
      const [x] = box.at
      const y = middleOf(box)
      const toJournal: Arrow = [
        [x, y],
        [margin + left, y],
      ]
      const toService: Arrow = [
        [x + box.width, y],
        [service.at[0], y],
      ]
      return people[index]?.hasKey ? [toJournal, toService] : [toJournal]
    }),
    labels: [
      { at: [margin, margin - 4], text: 'Journal' },
      { at: [service.at[0], margin - 4], text: 'Service' },
      ...besides,
    ],
  }
}

const renderArrow = (points: Arrow, theme: Theme): string[] => {
  const [[fromX, fromY], [x, y]] = points.slice(-2) as [Point, Point]
  const [dx, dy] = [Math.sign(x - fromX), Math.sign(y - fromY)]
  const head = [
    [x, y],
    [x - 7 * dx + 4 * dy, y - 7 * dy + 4 * dx],
    [x - 7 * dx - 4 * dy, y - 7 * dy - 4 * dx],
  ]
  return [
    `<polyline points="${points.join(' ')}" fill="none" stroke="${theme.dim}"/>`,
    `<polygon points="${head.join(' ')}" fill="${theme.dim}"/>`,
  ]
}

export const renderDiagram = ({ boxes, arrows, labels = [], ...texts }: Diagram, theme: Theme): string => {
  const height = Math.max(...boxes.map((box) => box.at[1] + heightOf(box))) + margin
  const body = [
    ...arrows.flatMap((arrow) => renderArrow(arrow, theme)),
    ...boxes.flatMap((box) => [
      `<rect x="${box.at[0]}" y="${box.at[1]}" width="${box.width}" height="${heightOf(box)}" rx="4" fill="${theme.background}" stroke="${theme.dim}"/>`,
      ...renderRows(box.rows, [box.at[0] + padding, box.at[1] + padding], theme),
    ]),
    ...labels.flatMap(({ at, text }) => renderRows([line(text, 'quiet')], at, theme)),
  ]
  return renderFrame(texts, [width, height], body, theme)
}

export const diagrams = { order: drawOrder, paid: drawAnswers, account: drawAccount, team: drawTeam }

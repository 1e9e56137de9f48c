// Prints a history as readable lines.
import type { Fault, Foreign, History, Kill, Run, Step } from './steps.ts'
import { lineOf, type Names } from './words.ts'

const seconds = (ms: number): string => `${ms / 1000} s`

const faultText = ({ on, nth, response, arrivesMs, responseMs }: Fault): string =>
  [
    `${on}${nth === 0 ? '' : ` #${nth}`}`,
    arrivesMs === 'never' && 'never arrives',
    typeof arrivesMs === 'number' && arrivesMs > 0 && `arrives after ${seconds(arrivesMs)}`,
    response !== 'own' && `response ${response}`,
    responseMs > 0 && `${seconds(responseMs)} later than usual`,
  ]
    .filter((each) => each !== false)
    .join(', ')

const killText = (kill: Kill): string => ('at' in kill ? kill.at : `after ${seconds(kill.afterMs)}`)

const targetText: Names['resolve'] = (target) => {
  if (target === 'last') return '@last'
  if ('id' in target) return target.id
  return 'reference' in target ? `ref:${target.reference}` : `ORDER-${target.nth}`
}

const besideText = ({ besideMs }: { readonly besideMs?: number | undefined }): string[] =>
  besideMs === undefined ? [] : [`${seconds(besideMs)} later, at the same time:`]

const printedText = ({ command }: Run): string[] =>
  command.name === 'printed' ? ['orderctl has printed, number', `${command.nth + 1}`, 'from the newest'] : []

const runText = (run: Run): string => {
  const names: Names = { resolve: targetText, listPrinted: () => [printedText(run)] }
  const { words, environment, input } = lineOf(run, names) ?? { words: [], environment: {} }
  return [
    ...besideText(run),
    ...(run.isElsewhere ? ['on the second machine:'] : []),
    ...(run.output === 'terminal' ? ['on a terminal:'] : []),
    ...(run.isAssistant ? ['CLAUDECODE=1'] : []),
    ...('environment' in run.as ? [`ORDERCTL_BASE_URL=${environment.ORDERCTL_BASE_URL}`] : []),
    ...['orderctl', ...words.map((word) => (/^[\w@:./#-]+$/.test(word) ? word : JSON.stringify(word)))],
    ...(words.includes('-') ? ['<', `${input}`] : []),
    ...run.faults.map((fault) => `[${faultText(fault)}]`),
    ...(run.kill === undefined ? [] : [`[killed: ${killText(run.kill)}]`]),
  ].join(' ')
}

const foreignText = ({ reference, isConfirmed, validMs }: Foreign): string =>
  reference +
  (isConfirmed ? ', and confirms it' : '') +
  (validMs === undefined ? '' : `, valid for ${seconds(validMs)}`)

const stepText = (step: Step): string => {
  switch (step.do) {
    case 'run':
      return runText(step)
    case 'pass':
      return `${seconds(step.ms)} pass`
    case 'expire':
      return `time passes until the newest order expires, and ${seconds(step.offsetMs)} more`
    case 'foreign':
      return `another program orders ${foreignText(step.order)}`
    case 'reset':
      return ['the service is reset', ...step.orders.map(foreignText)].join(', and another program orders ')
    case 'damage':
      return `the journal loses the ${step.what} of its newest order`
    case 'forget':
      return `the service forgets its order ${step.nth}`
    case 'wall': {
      const way = step.ms < 0 ? 'back' : 'forward'
      return [...besideText(step), `the wall clock is put ${way} by ${seconds(Math.abs(step.ms))}`].join(' ')
    }
    case 'suspend':
      return [...besideText(step), `the machine sleeps for ${seconds(step.ms)}`].join(' ')
  }
}

export const historyText = ({ seed, theme, isDated, habits, steps }: History): string =>
  [
    `seed ${seed}, ${theme}${isDated ? '' : '; the service sends no Date'}`,
    ...(Object.keys(habits).length === 0 ? [] : [`  the service: ${JSON.stringify(habits)}`]),
    ...steps.map((step, index) => `  ${index + 1}. ${stepText(step)}`),
  ].join('\n')

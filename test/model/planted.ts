// Defects that are planted into the source when it is loaded. The model must find each of them.
import { readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { fileURLToPath } from 'node:url'

export type Defect = {
  readonly name: string
  /** Below src/. */
  readonly file: string
  /** This text must occur once. `becomes` replaces it. */
  readonly text: string
  readonly becomes: string
  /** A part of the failure that the model reports. */
  readonly found: string
}

export const defects: readonly Defect[] = [
  {
    name: 'a confirm is sent although the journal knows that the order is confirmed',
    file: 'journal/orders/calls.ts',
    text: "if (confirmed !== undefined) return { kind: 'confirmed', state: confirmed.state }",
    becomes: '',
    found: 'a confirm was sent again',
  },
  {
    name: 'a 419 is believed without asking for the order',
    file: 'operations/settle.ts',
    text: 'const outcome = await api.get(orderId, { signal })\n',
    becomes: `if (isRefusal) return { kind: 'unconfirmed', order: undefined as never }
    const outcome = await api.get(orderId, { signal })\n`,
    found: 'says that the order is not confirmed, but it is',
  },
  {
    name: 'one get after the expiry releases a reference',
    file: 'operations/expiry.ts',
    text: "return { kind: 'first', provenAt: serviceTime + apartMs }",
    becomes: "return { kind: 'proven' }",
    found: 'bought twice',
  },
  {
    name: 'any word of the service counts as unconfirmed in a proof',
    file: 'operations/reconcile.ts',
    text: '[pendingState, serviceState].includes(order.state)',
    becomes: '[pendingState, serviceState, order.state].includes(order.state)',
    found: 'bought twice',
  },
  {
    name: 'a word of the service is read as a standing',
    file: 'journal/orders/observations.ts',
    text: "isPaid(update) && moveOrder(statements, number, 'confirmed', { at: update.at }),",
    becomes: `isPaid(update) && moveOrder(statements, number, 'confirmed', { at: update.at }),
    /^(expired|refused|lost|not-sent)$/i.test(update.state) && statements.run(
      "UPDATE orders SET standing = 'void', void_reason = 'expired', confirmed_at = NULL WHERE number = $number", { number }),`,
    found: 'bought twice',
  },
  {
    name: 'a call is not noted before it is sent',
    file: 'journal/newest-call.ts',
    text: 'if (noted !== undefined && noted.call >= newest.call) return',
    becomes: 'return',
    found: 'bought again after a restored backup',
  },
  {
    name: 'a run does not wait for the confirm of another run',
    file: 'operations/next-step.ts',
    text: 'isOpen(call) && wasStarted(call, at) && at < findEnd(call)',
    becomes: 'false',
    found: 'does not wait for the run that confirms the order',
  },
]

const sourceOf = ({ file, text, becomes }: Defect, url: string): string => {
  const source = readFileSync(fileURLToPath(url), 'utf8')
  if (source.split(text).length !== 2) throw new Error(`${file} does not have this text once: ${text}`)
  return source.replace(text, () => becomes)
}

/** Must run before the file is loaded. */
export const plant = (defect: Defect): void => {
  const planted = new URL(`../../src/${defect.file}`, import.meta.url).href
  registerHooks({
    load: (url, context, load) =>
      url === planted
        ? { format: 'module-typescript', source: sourceOf(defect, url), shortCircuit: true }
        : load(url, context),
  })
}

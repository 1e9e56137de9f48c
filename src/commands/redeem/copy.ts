// redeem --copy: copies one value to the clipboard without showing it, and clears it after 45 s.

import { copyToFirst, type NumberedCard, reasonOf, requireClipboards } from '../../app/clipboard.ts'
import { canPrompt } from '../../app/notes.ts'
import type { Context } from '../../context.ts'
import { Failure, interruption } from '../../errors.ts'
import { sanitize } from '../../ui/terminal/text.ts'
import { createMissingValueFailure, type Deliver, type Delivery, maskValue, revealCards } from './cards.ts'
import { type ValueKind, valueKinds } from './spec.ts'

const names = { pin: 'PIN', code: 'code', link: 'link', serial: 'serial number' } as const
const keptMs = 45_000

export const copyTo = (context: Context, cleanup: AsyncDisposableStack): Deliver => {
  const clipboards = requireClipboards(context)
  const { stderr, clock, interrupted } = context
  return async (delivery) => {
    const { value, kind, card, number } = await chooseValue(context, delivery)
    const { uid } = delivery.order
    const clipboard = await revealCards(delivery, 'copy', [card], () =>
      copyToFirst(clipboards, value, { orderId: uid, fix: (suggest) => suggest`redeem ${uid} --reveal` }),
    )
    const shown = `${sanitize(card.sku)} (${sanitize(maskValue(kind, value))})`
    stderr.write(
      `Copied with ${clipboard.name}: the ${names[kind]} of card ${number}, ${shown}. ` +
        `orderctl clears it in ${keptMs / 1000} s, or at once if you press Ctrl-C.\n`,
    )
    // Runs after all calls.
    cleanup.defer(async () => {
      await clock.sleep(keptMs, interrupted)
      try {
        const isCleared = await clipboard.clear(value)
        const kept = 'The clipboard holds something else now, so orderctl left it alone.'
        stderr.write(`${isCleared ? 'The clipboard is cleared.' : kept}\n`)
      } catch (error) {
        stderr.warn(`the clipboard was not cleared and may still hold the value: ${reasonOf(error)}`)
      }
    })
  }
}

type Choice = NumberedCard & { readonly value: string; readonly kind: ValueKind }

/**
 * If several different values match, asks on a terminal. Otherwise throws, and names the flags for each. Cards may
 * share one link.
 */
const chooseValue = async (context: Context, delivery: Delivery): Promise<Choice> => {
  const { options, chosen, order } = delivery
  const choices = chosen.flatMap(({ card, number }) =>
    valueKinds
      .filter((kind) => options.only === undefined || options.only === kind)
      .flatMap((kind): Choice[] => {
        const value = card[kind]
        return value === undefined ? [] : [{ value, kind, card, number }]
      }),
  )
  const [first] = choices
  if (first === undefined) throw createMissingValueFailure(delivery, options.only ?? 'value')
  if (new Set(choices.map(({ value }) => value)).size === 1) return first
  if (canPrompt(context, options)) return askForValue(context, order.uid, choices)
  const isOneCard = new Set(choices.map(({ number }) => number)).size === 1
  throw new Failure('usage', `--copy needs one value, but ${choices.length} match`, {
    field: isOneCard ? '--only' : '--card',
    orderId: order.uid,
    violations: choices.map(
      ({ kind, card, number }) => `${sanitize(card.sku)}: --only ${kind} --card ${number}`,
    ),
    advice: 'Narrow it with --sku, --only or --card.',
  })
}

/** The values are masked. */
const askForValue = async (context: Context, orderId: string, choices: Choice[]): Promise<Choice> => {
  const distinct = choices.filter((each, at) => choices.findIndex(({ value }) => value === each.value) === at)
  const byName = new Map<string, Choice>(
    distinct.map((choice) => [`card ${choice.number}, ${names[choice.kind]}`, choice]),
  )
  const ask = await context.asking()
  const chosen = await ask.text({
    message: 'Value to copy',
    choices: [...byName].map(([name, { kind, value, card }]) => ({
      value: name,
      name: `${name}  ${sanitize(card.sku)}  ${sanitize(maskValue(kind, value))}`,
    })),
    check: (text) => (byName.has(text) ? undefined : 'not in the list'),
  })
  const found = chosen === undefined ? undefined : byName.get(chosen)
  if (found !== undefined) return found
  throw interruption(context.interrupted, 'cancelled; nothing was copied', { orderId })
}

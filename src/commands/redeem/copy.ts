// redeem --copy: one value on the clipboard, for as long as it takes to paste it. It is not shown.
import type { Context } from '../../context.ts'
import type { Card } from '../../contract/redeem-cards.ts'
import { Failure } from '../../errors.ts'
import { shellWord } from '../../text/shell-word.ts'
import { maskCode, maskLink } from '../../ui/masking/mask.ts'
import { safeText } from '../../ui/terminal/safe-text.ts'
import { chosenCards, noSuchValue, skusOf } from './cards-of-order.ts'
import { type Clipboard, clipboardsOf } from './clipboard.ts'
import { type Asked, type Deliver, type Kind, kinds } from './options.ts'

const names = { pin: 'PIN', code: 'code', link: 'link', serial: 'serial number' } as const
const keptMs = 45_000

export const copyTo = (context: Context) => {
  const clipboards = clipboardsOf(context)
  if (clipboards.length === 0) {
    throw new Failure('usage', 'there is no clipboard here: neither a terminal nor a display with a tool', {
      field: '--copy',
      fix: 'On a terminal it works by itself; else pbcopy, clip.exe, wl-copy, xclip or xsel is needed.',
    })
  }
  const { stderr, clock, interrupted } = context
  let copied: { readonly clipboard: Clipboard; readonly value: string } | undefined
  const deliver: Deliver = async (_, asked) => {
    const { value, kind, card, number } = choiceOf(asked)
    await asked.note('copy', skusOf([card]))
    const clipboard = await firstThatTakes(clipboards, value, asked.order.uid)
    copied = { clipboard, value }
    const shown = kind === 'link' ? maskLink(value) : maskCode(value)
    stderr.write(
      `copied by ${clipboard.name}: the ${names[kind]} of card ${number}, ${safeText(card.sku)} (${safeText(shown)}); ` +
        `cleared in ${keptMs / 1000} s, or at once by Ctrl-C\n`,
    )
  }
  const end = async (): Promise<void> => {
    if (copied === undefined) return
    await clock.sleep(keptMs, interrupted)
    try {
      const cleared = await copied.clipboard.clear(copied.value)
      stderr.write(cleared ? 'the clipboard is cleared\n' : 'the clipboard holds something else by now\n')
    } catch (error) {
      stderr.write(`warning: the clipboard was not cleared, and may hold it still: ${reasonOf(error)}\n`)
    }
  }
  return { deliver, end }
}

const reasonOf = (error: unknown): string => safeText(error instanceof Error ? error.message : String(error))

const firstThatTakes = async (
  clipboards: readonly Clipboard[],
  value: string,
  orderId: string,
): Promise<Clipboard> => {
  const reasons: string[] = []
  for (const clipboard of clipboards) {
    try {
      await clipboard.copy(value)
      return clipboard
    } catch (error) {
      reasons.push(`${clipboard.name}: ${reasonOf(error)}`)
    }
  }
  throw new Failure('output-lost', 'nothing was copied: no clipboard took it', {
    field: '--copy',
    orderId,
    violations: reasons,
    fix: `orderctl redeem ${shellWord(orderId)} --reveal`,
  })
}

type Choice = {
  readonly value: string
  readonly kind: Kind
  readonly card: Card
  readonly number: number
}

/** One value; or what to type for each of them. Cards of one link share it. */
const choiceOf = (asked: Asked): Choice => {
  const { wanted, cards, order } = asked
  const choices = chosenCards(asked).flatMap(({ card, number }) =>
    kinds
      .filter((kind) => wanted.only === undefined || wanted.only === kind)
      .flatMap((kind): Choice[] => {
        const value = card[kind]
        return value === undefined ? [] : [{ value, kind, card, number }]
      }),
  )
  const [first] = choices
  if (first === undefined) throw noSuchValue(cards, wanted.only ?? 'value', order.uid)
  if (new Set(choices.map(({ value }) => value)).size === 1) return first
  const isOneCard = new Set(choices.map(({ number }) => number)).size === 1
  throw new Failure('usage', `--copy takes one value, and ${choices.length} are there`, {
    field: isOneCard ? '--only' : '--card',
    orderId: order.uid,
    violations: choices.map(
      ({ kind, card, number }) => `${safeText(card.sku)}: --only ${kind} --card ${number}`,
    ),
    fix: 'Choose one with --only, --sku and --card.',
  })
}

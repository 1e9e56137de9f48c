// A slow reader of 10,000 cards receives all of them.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import type { Readable } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { isFullRun } from '../support/cases.ts'
import { openService } from '../support/embedded.ts'
import { openHttp } from '../support/network/client-servers.ts'
import { folder } from '../support/orderctl.ts'

const codes = Array.from({ length: 10_000 }, (_, index) => `CARD-${String(index).padStart(5, '0')}`)

/** A service with one order that has all the cards. */
const openShop = async () => {
  await using service = await openService()
  const uid = await service.confirmed(['GAME-US'])
  service.clock.advance(60_000)
  const answer = JSON.parse((await service.get(uid)).text)
  const [entry] = Object.values<{ cards: Record<string, string>[] }>(answer.data.redeem)
  const [card] = entry?.cards ?? []
  if (entry === undefined) throw new Error('the order has no cards')
  entry.cards = codes.map((redeemCardCode) => ({ ...card, redeemLink: '', redeemCardCode }))
  const text = JSON.stringify(answer)
  return { uid, ...(await openHttp((_, response) => response.end(text))) }
}

/** Reads a limited number of bytes at a time, after the pipe has filled. */
const readSlowly = async (stream: Readable, bytes: number): Promise<string> => {
  let text = ''
  // Without a listener, Node drops what is unread when the process ends.
  stream.on('readable', () => {})
  await once(stream, 'readable')
  while (!stream.readableEnded) {
    text += stream.read(Math.min(bytes, stream.readableLength || 1)) ?? ''
    await new Promise(setImmediate)
  }
  return text
}

describe('10,000 cards', { concurrent: true }, () => {
  const ways = [['--reveal', '--json'], ['--reveal', '--only', 'code'], ['--reveal']]
  test.each((isFullRun ? ways : ways.slice(0, 1)).map((flags) => [flags]))(
    'a slow reader receives each card once and in order: %j',
    async (flags) => {
      await using shop = await openShop()
      const child = spawn(
        process.execPath,
        [path.resolve('bin/orderctl.cjs'), 'redeem', shop.uid, ...flags],
        {
          stdio: ['ignore', 'pipe', 'inherit'],
          env: { HOME: folder(), ORDERCTL_BASE_URL: shop.origin, ORDERCTL_API_KEY: 'k' },
          timeout: 100_000,
        },
      )
      const ended = once(child, 'close')
      const text = await readSlowly(child.stdout, 4_096)
      expect(await ended).toEqual([0, null])
      // In JSON, once in `redeem` and once in `cards`.
      const wanted = flags.includes('--json') ? [...codes, ...codes] : codes
      expect(text.match(/CARD-\d{5}/g)?.join() === wanted.join()).toBe(true)
      expect(text.endsWith('\n')).toBe(true)
    },
  )
})

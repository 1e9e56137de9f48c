// A service whose cards are the canaries, a home for each run, and a search of everything that the run leaves.
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { HttpResponse } from '../../src/contract/transport.ts'
import { mustRun, orderctl, type Ran } from '../support/orderctl.ts'
import { inRealTime, openWorld as openShop } from '../support/world.ts'
import { canaries, foundIn } from './canaries.ts'
import { type Around, surroundings } from './surroundings.ts'
import type { Row } from './ways.ts'

const { K, C, P, S, L } = canaries

const createEntry = (code: string) => ({
  cards: [
    {
      ...{ redeemLink: L, redeemCardCode: code, redeemSerialNumber: S, redeemPin: P },
      expirationDate: '2030-01-31T23:59:59Z',
    },
  ],
  redeemInstructions: {
    ...{ tnc: null, tncHtml: null, redeem: `Type ${code} and ${P} at ${L}.`, languageCode: 'en' },
    redeemHtml: `<p>Type <b>${code}</b></p>`,
  },
})

/** The service's own response, its cards replaced. */
const withCanaries = (response: HttpResponse): HttpResponse => {
  const text = String(response.body)
  if (!text.includes('"redeemCardCode"')) return response
  const document = JSON.parse(text)
  // No other product or order has the same card.
  for (const [sku, entry] of Object.entries<object>(document.data.redeem))
    Object.assign(entry, createEntry(`${C}-${sku}-${document.data.uid}`))
  return { ...response, body: JSON.stringify(document) }
}

const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))

/** Notes what it was started with; a clipboard is left as soon as it has something. */
const toolOf = (records: string, name: string, does = ''): string =>
  [
    '#!/bin/sh',
    `printf '%s\\n' "$0" "$@" >> '${records}/${name}.argv'`,
    `env >> '${records}/${name}.environment'`,
    does,
    '',
  ].join('\n')

export type World = Awaited<ReturnType<typeof openWorld>>

/** Beside the usual one. */
const accounts: Readonly<Record<string, string>> = {
  vault: '--credential-command vault',
  broken: '--credential-command broken',
  header: '--auth header:X-Key --key-stdin',
  query: '--auth query:key --key-stdin',
  basic: '--auth basic --key-stdin',
}

/** For these ways. */
export const openWorld = async (rows: readonly Row[]) => {
  const stack = new AsyncDisposableStack()
  const shop = await openShop({ ...inRealTime, key: K, processingMs: 0 }, (end) => stack.defer(end))
  const { home: folder, calls } = shop
  const url = shop.environment.ORDERCTL_BASE_URL ?? ''
  const template = path.join(folder, 'template')
  const tools = path.join(folder, 'tools')
  const records = path.join(folder, 'records')
  for (const each of [template, tools, records]) mkdirSync(each)
  let says: Around['says']
  shop.through(async (request, service) => {
    const response = withCanaries(await service(request))
    return says === undefined ? response : says(response)
  })

  const environmentIn = (home: string) => ({
    ...{ TZ: 'UTC', HOME: home, SHELL: '/bin/bash', PATH: `${tools}:${process.env.PATH}` },
    ...{ ORDERCTL_STATE_DIR: path.join(home, 'state'), ORDERCTL_CONFIG_DIR: path.join(home, 'config') },
    ...{ XDG_CACHE_HOME: path.join(home, 'cache'), TMPDIR: path.join(home, 'tmp') },
  })
  const must = (words: string, input?: string): Promise<string> =>
    mustRun(words.split(' '), {
      ...{ cwd: template, env: environmentIn(template), endsWithinMs: 120_000 },
      ...(input !== undefined && { input }),
    })

  const tool = (name: string, does?: string): void => {
    writeFileSync(path.join(tools, name), toolOf(records, name, does), { mode: 0o755 })
  }
  // Once it has a text it is done with: the wait until it is cleared is left by Ctrl-C.
  tool('xclip', `case "$*" in *-o*) ;; *) cat >> '${records}/xclip.stdin'; kill -INT $PPID ;; esac`)
  tool('vault', `cat '${tools}/../vault-key'`)
  tool('broken', `cat '${tools}/../vault-key'; exit 3`)
  tool('witness')
  writeFileSync(path.join(folder, 'vault-key'), K)
  for (const each of ['cache', 'tmp']) mkdirSync(path.join(template, each))
  await must(`profile add shop --base-url ${url} --key-stdin --use`, K)
  const needed = new Set(rows.map(({ words }) => words[words.indexOf('--profile') + 1] ?? ''))
  for (const name of [...needed].filter((each) => Object.hasOwn(accounts, each))) {
    const words = `profile add ${name} --base-url ${url} ${accounts[name]}`
    await must(words, words.includes('--key-stdin') ? K : undefined)
  }
  // The journal does not know yet that it has its card.
  await calls.confirm(await must('create --product GAME-US:25 --wallet USD --reference before -q'))
  const done = await calls.confirmed(['GAME-US'], { reference: 'done' })
  if (rows.some(({ words }) => words.includes('gifts'))) {
    await must('batch run --product GAME-US:25 --wallet USD --max-total 99 --name gifts --json')
  }

  /** Where each canary is. */
  const searched = (home: string, { stdout, stderr }: Ran): string[] => {
    const files = [...filesIn(home), ...filesIn(records)].map((file) => ({
      place: path.basename(file).replace(/^\.orderctl-.*\.tmp$/, '.orderctl-*.tmp'),
      bytes: readFileSync(file),
    }))
    const streams = Object.entries({ stdout, stderr }).map(([place, text]) => ({
      place,
      bytes: Buffer.from(text),
    }))
    return [...streams, ...files]
      .map(({ place, bytes }) => ({ place, found: foundIn(bytes) }))
      .filter(({ place, found }) => found !== '' && !(place === 'profiles.json' && found === 'K'))
      .map(({ place, found }) => `${place} ${found}`)
      .toSorted()
  }

  return {
    run: async ({ name, words, around }: Row) => {
      const situation = surroundings[around]
      if (situation === undefined) throw new Error(`there is nothing like ${around} around ${name}`)
      const home = mkdtempSync(path.join(folder, 'home-'))
      cpSync(template, home, { recursive: true })
      rmSync(records, { recursive: true, force: true })
      mkdirSync(records)
      const open = words.includes('OPEN') ? await calls.created(['GAME-US'], { reference: name }) : ''
      const { env, input, under } = situation
      says = situation.says
      const ran = await orderctl(
        words.map((word) =>
          word.replace('HOME', home).replace('KEY', K).replace('DONE', done).replace('OPEN', open),
        ),
        {
          ...{ cwd: home, endsWithinMs: 120_000, env: { ...environmentIn(home), ...env?.({ home, url }) } },
          ...(input === undefined ? {} : { input }),
          ...(under === undefined ? {} : { under: ['sh', '-c', under, 'sh'] }),
        },
      )
      says = undefined
      const found = searched(home, ran)
      rmSync(home, { recursive: true, force: true })
      return { found, ran }
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}

// create --dry-run: checks the order, warns of products that are probably wrong, and prints the request.
import type { Context } from '../../context.ts'
import type { OrderRequest } from '../../contract/order-request.ts'
import { Failure } from '../../errors.ts'
import { refuseSecrets } from '../../operations/place.ts'
import type { Account } from '../../profiles/account.ts'
import { renderJson } from '../../ui/text/json.ts'
import { type Journals, journalsOf } from '../shared/journal/open-journal.ts'
import { writeNote } from '../shared/notes.ts'
import { readEarlierProducts, warnOfProducts } from '../shared/products/known-products.ts'
import type { Submission } from './place-order.ts'

/** `opened`: the journals that the command has already opened. */
export const checkOnly = async (
  context: Context,
  { options, account, request, list }: Submission,
  opened: Journals | undefined,
): Promise<number> => {
  if (account.kind === 'service' && account.getKnownKey !== undefined) {
    const { createSecretTest } = await import('../../client/credentials.ts')
    refuseSecrets({ containsSecret: createSecretTest(account.auth, account.getKnownKey()) }, request)
  }
  if (list === undefined) await printHints(context, account, request, opened)
  // A request holds no codes, so nothing in it is masked.
  context.stdout.write(renderJson(request, { reveal: true, fields: options.fields }))
  writeNote(context, 'The order is valid. Nothing was sent.\n')
  return 0
}

const printHints = async (
  context: Context,
  account: Account,
  { productList }: OrderRequest,
  opened: Journals | undefined,
): Promise<void> => {
  await using own = opened === undefined ? journalsOf(context, account, { noInput: true }) : undefined
  try {
    const journal = await (opened ?? own)?.openToRead()
    if (journal === undefined) return
    const earlier = await readEarlierProducts(journal, account)
    const lines = productList.map((line, index) => [`productList[${index}]`, line] as const)
    warnOfProducts(context, earlier, lines)
  } catch (error) {
    // Without a usable journal, there is nothing to compare.
    if (!(error instanceof Failure)) throw error
  }
}

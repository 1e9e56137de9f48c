// orderctl create: what is ordered, by flags, a file or answers.
import type { Context } from '../../context.ts'
import { parseDecimal } from '../../contract/decimal.ts'
import type { OrderRequest } from '../../contract/order-request.ts'
import { Failure } from '../../errors.ts'
import { jsonText } from '../../ui/text/json.ts'
import { flagReader, totalForm } from '../shared/flag-reader.ts'
import { shower } from '../shared/output.ts'
import { productForm, readProduct } from '../shared/product-flag.ts'
import { accountOf, canAsk } from '../shared/session.ts'
import type { CarryOutFlags } from './complete-order.ts'
import { type OrderFlags, orderBegun, readOrderFile, requestOf } from './order-input.ts'
import { catalogueTypes } from './sandbox-catalogue.ts'
import { carryOut } from './submit.ts'

export type CreateFlags = CarryOutFlags &
  OrderFlags & {
    readonly skeleton?: boolean
    readonly schema?: boolean
    readonly maxTotal?: string
    readonly input: boolean
  }

export const create = async (
  context: Context,
  file: string | undefined,
  flags: CreateFlags,
): Promise<number> => {
  if (flags.skeleton === true || flags.schema === true) {
    const { exampleOrderFile } = await import('../../contract/openapi/examples.ts')
    const { orderFileSchema } = await import('../../contract/openapi/order-file-schema.ts')
    context.stdout.write(
      jsonText(flags.schema === true ? orderFileSchema() : exampleOrderFile, { reveal: true }),
    )
    return 0
  }
  const goesOn = flags.confirm === true || flags.watch === true
  const { read, timeout, problem, check } = flagReader('create')
  const maxTotal = read('--max-total', flags.maxTotal, parseDecimal, totalForm)
  if (flags.maxTotal !== undefined && !goesOn)
    problem('--max-total guards a confirmation: it goes with --confirm or --watch')
  const readProducts = (texts: readonly string[] | undefined) =>
    texts
      ?.map((text) => read('--product', text, readProduct, productForm))
      .filter((each) => each !== undefined)
  const typed = readProducts(flags.product)
  timeout('--timeout', flags.timeout)
  if (flags.idempotent === true && flags.allowDuplicate === true)
    problem('--idempotent does not go with --allow-duplicate')
  if (flags.idempotent === true && file === undefined && flags.reference === undefined)
    problem('--idempotent needs --reference: it finds the earlier order by it')
  check()
  if (flags.idempotent === true) refuseShortLivedJournal(context)
  shower(context, flags)
  const account = await accountOf(context, flags, { needsKey: flags.dryRun !== true })
  const typeOf = await catalogueTypes(account)
  const usualWallet = account.kind === 'service' ? account.wallet : undefined
  const asks = flags.json !== true && flags.quiet !== true && canAsk(context, flags)
  const elsewhere = {
    productList: typed,
    wallet: flags.wallet ?? usualWallet,
    reference: flags.reference,
  }
  const fromFile = file === undefined ? undefined : await readOrderFile(context, file)
  const begun = fromFile === undefined || !asks ? undefined : orderBegun(fromFile, elsewhere)
  const given = { ...begun?.flags, ...flags }
  const products = typed ?? begun?.products
  const isWhole =
    begun === undefined &&
    (file !== undefined || (products !== undefined && (given.wallet ?? usualWallet) !== undefined))
  const asked =
    isWhole || !asks
      ? undefined
      : await (await import('./ask-for-missing.ts')).askForMissing(context, {
          account,
          flags: given,
          products,
          typeOf,
        })
  const request = (): OrderRequest => {
    const whole = { ...given, ...asked?.flags() }
    const document = begun === undefined ? fromFile : undefined
    return requestOf(context, document, whole, readProducts(whole.product), { wallet: usualWallet, typeOf })
  }
  const hasOwnReference = (): boolean =>
    asked?.hasOwnReference() ?? (given.reference !== undefined || fromFile !== undefined)
  const order = { account, request, hasOwnReference, maxTotal, asked }
  const carried = (): Promise<number> => carryOut(context, order, flags)
  return asked === undefined ? carried() : asked.ending(carried)
}

/** A journal that is lost with the CI job would let the next job buy again. */
const refuseShortLivedJournal = ({ environment }: Context): void => {
  if (!environment.CI || environment.ORDERCTL_STATE_DIR) return
  throw new Failure(
    'local-state',
    '--idempotent needs a journal that outlives this CI job; nothing was sent',
    {
      field: 'ORDERCTL_STATE_DIR',
      fix: 'Set ORDERCTL_STATE_DIR to a folder that is kept between jobs.',
    },
  )
}

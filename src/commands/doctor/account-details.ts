// The checks of an account beside its answer: the clock, the certificate and the product file.
import type { Context } from '../../context.ts'
import { formatDuration } from '../../contract/duration.ts'
import type { Check } from '../../ui/screens/doctor.ts'
import { formatDate } from '../../ui/text/time.ts'
import { clockToleranceMs, describeAhead } from '../shared/clock-warning.ts'
import { readProductFile } from '../shared/products/product-file.ts'
import { fromError, ok, problem, warning } from './check.ts'

export const describeClock = (
  name: string,
  serverTime: number | undefined,
  now: number,
): readonly Check[] => {
  if (serverTime === undefined) return [ok(`${name} clock`, 'the service does not say its time')]
  const aheadMs = now - serverTime
  return Math.abs(aheadMs) <= clockToleranceMs
    ? [ok(`${name} clock`, `within ${formatDuration(clockToleranceMs)} of the service's`)]
    : [warning(`${name} clock`, describeAhead(aheadMs, "the service's"), 'Set the clock of this machine.')]
}

const soonMs = 14 * 24 * 60 * 60 * 1000

export const describeCertificate = (
  name: string,
  end: number,
  here: { readonly now: number; readonly timeZone: string },
): Check => {
  const date = formatDate(end, here)
  const leftMs = end - here.now
  if (leftMs <= 0) return problem(name, `expired on ${date}`, 'The operator of the service must renew it.')
  const detail = `valid until ${date}, for ${formatDuration(leftMs)}`
  return leftMs <= soonMs
    ? warning(name, detail, 'The operator of the service must renew it.')
    : ok(name, detail)
}

export const checkProducts = async (
  context: Context,
  { name, products }: { readonly name: string; readonly products?: string },
): Promise<readonly Check[]> => {
  if (products === undefined) return []
  try {
    const { length } = await readProductFile(context, products)
    return [ok(`${name} products`, `${length} in ${products}`)]
  } catch (error) {
    return [{ ...fromError(`${name} products`, error), status: 'warning' }]
  }
}

// The JSON Schema of an order file. Apart from the request itself: few ask for it, and what makes it takes time to load.
import * as z from 'zod/mini'
import { strictRequest } from '../order-request.ts'

export const orderFileSchema = (): Record<string, unknown> => ({
  ...z.toJSONSchema(strictRequest, { io: 'input', unrepresentable: 'any' }),
  title: 'Order',
  description: 'The documented request of POST /order/create.',
})

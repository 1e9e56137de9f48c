// Generates the JSON Schema of an order file. A separate module, because few commands need it and it loads slowly.
import * as z from 'zod/mini'
import { strictRequest } from '../order/order-request.ts'

export const createOrderFileSchema = (): Record<string, unknown> => ({
  ...z.toJSONSchema(strictRequest, { io: 'input', unrepresentable: 'any' }),
  title: 'Order',
  description: 'The documented request of POST /order/create.',
})

// The methods and paths of the operations (order-service.md 4).
import type { Operation } from './refusals.ts'

export type Endpoint = { readonly method: string; readonly path: string }

export const endpoints: Readonly<Record<Operation, Endpoint>> = {
  create: { method: 'POST', path: '/order/create' },
  confirm: { method: 'PUT', path: '/order/confirm' },
  get: { method: 'GET', path: '/order/get' },
}

export const operations = Object.keys(endpoints) as Operation[]

export const stripQuery = (target: string): string => {
  const query = target.indexOf('?')
  return query === -1 ? target : target.slice(0, query)
}

export const findOperation = (method: string, target: string): Operation | undefined => {
  const path = stripQuery(target)
  return operations.find((name) => endpoints[name].path === path && endpoints[name].method === method)
}

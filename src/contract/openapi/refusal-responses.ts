// The responses of an OpenAPI document other than 200.
import { endpoints } from '../endpoints.ts'
import {
  describeAllowedMethods,
  describeTooLarge,
  maxRequestBytes,
  wrongContentType,
} from '../http/http-refusals.ts'
import { type Operation, type Refusal, refusals } from '../refusals.ts'
import { createJsonContent } from './content.ts'

// Several refusals share a status, so each is an example of the response with that status.
export const createRefusals = (operation: Operation) => {
  const own = Object.entries<Refusal>(refusals).filter(([, { operations }]) => operations.includes(operation))
  const byStatus = Map.groupBy(own, ([, { status }]) => status)
  const documented = Object.fromEntries(
    [...byStatus].map(([status, entries]) => {
      const examples = Object.fromEntries(
        entries.map(([kind, refusal]) => [kind, createRefusalExample(refusal)]),
      )
      const description = entries.map(([, { message }]) => message).join(' | ')
      return [status, { description, content: createJsonContent('Refusal', { examples }) }]
    }),
  )
  return { ...documented, ...createHttpRefusals(operation) }
}

const createHttpRefusals = (operation: Operation) => {
  const { method } = endpoints[operation]
  const createResponse = (message: string) => ({
    description: message,
    content: createJsonContent('Refusal', { example: { message } }),
    'x-spec-silent': 'This status.',
  })
  const withBody = {
    413: createResponse(describeTooLarge(maxRequestBytes)),
    415: createResponse(wrongContentType),
  }
  const allow = { description: 'The allowed methods.', schema: { type: 'string' }, example: method }
  return {
    405: { ...createResponse(describeAllowedMethods(method)), headers: { allow } },
    ...(method === 'GET' ? {} : withBody),
  }
}

const createRefusalExample = ({ message, isVerbatim, fix, retryable }: Refusal) => ({
  summary: fix,
  value: { message },
  'x-retryable': retryable,
  ...(isVerbatim ? {} : { 'x-spec-silent': 'The text of the message.' }),
})

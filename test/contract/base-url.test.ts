// src/contract/account-id.ts: which addresses are this machine. What parseBaseUrl accepts is in profiles/profile.test.ts.
import { expect, test } from 'vitest'
import { isLoopbackAddress } from '../../src/contract/account-id.ts'

test.each(['127.0.0.1', '127.255.255.254', '127.1.22.133', '::1', '::ffff:127.0.0.1'])(
  '%s is an address of this machine alone',
  (address) => expect(isLoopbackAddress(address)).toBe(true),
)

test.each([
  ...['', '10.0.0.1', '192.0.2.2', '128.0.0.1', '12.7.0.1', '1127.0.0.1', '127.0.0.1.2', '127.0.0'],
  ...['127.0.0.1000', '0.0.0.0', '::', '::2', '2001:db8::1', 'fe80::1%lo', '::ffff:10.0.0.1'],
  ...['1::ffff:127.0.0.1', '::127.0.0.1'],
])('%s is not', (address) => expect(isLoopbackAddress(address)).toBe(false))

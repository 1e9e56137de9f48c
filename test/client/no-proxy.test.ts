// src/client/no-proxy.ts
import { expect, test } from 'vitest'
import { isExcepted } from '../../src/client/no-proxy.ts'

test.each<[string, string, boolean]>([
  ['https://shop.test', '', false],
  ['https://shop.test', 'shop.test', true],
  ['https://shop.test', 'SHOP.test.', true],
  ['https://shop.test.', 'shop.test', true],
  ['https://a.shop.test', 'shop.test', true],
  ['https://ashop.test', 'shop.test', false],
  ['https://shop.test', '.shop.test', true],
  ['https://shop.test', '*.shop.test', false],
  ['https://a.shop.test', '*.shop.test', true],
  ['https://shop.test', 'a.test, shop.test', true],
  ['https://shop.test', 'a.test b.test', false],
  ['https://shop.test', ' * ', true],
  ['https://shop.test', '*:80', false],
  ['http://shop.test', '*:80', true],
  ['https://shop.test', 'shop.test:443', true],
  ['https://shop.test:8443', 'shop.test:443', false],
  ['https://10.0.0.7', '10.0.0.7', true],
  ['https://[2001:db8::1]', '2001:db8::1', true],
  ['https://[2001:db8::1]:8443', '[2001:db8::1]:8443', true],
  ['https://[2001:db8::1]:8443', '[2001:db8::1]:443', false],
])('%s with NO_PROXY=%j is excepted: %s', (url, exceptions, excepted) => {
  expect(isExcepted(new URL(url), exceptions)).toBe(excepted)
})

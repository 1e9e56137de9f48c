// The base address of a service: what may stand in one, and where plain http may go.
import { Failure } from '../errors.ts'

const wrong = (message: string, fix: string): Failure => new Failure('usage', message, { fix })

/** Whether an address leads no further than this machine, by its name alone. */
export const isLoopback = ({ hostname }: URL): boolean =>
  hostname === 'localhost' || /^(?:127\.[\d.]+|\[::1\]|\[::ffff:7f[\da-f]{2}:[\da-f]+\])$/.test(hostname)

/** Throws a Failure that never repeats the address: a password may stand in it. */
export const readBaseAddress = (text: string, allowHttp: boolean): URL => {
  const form = 'Give it as https://HOST or https://HOST/PREFIX.'
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol) || !/^https?:\/\//i.test(text.trim()))
    throw wrong('The base address is no http or https address.', form)
  if (url.username !== '' || url.password !== '')
    throw wrong('The base address must not hold a user name or a password.', form)
  if (url.search !== '' || url.hash !== '')
    throw wrong('The base address must not hold a query or a fragment.', form)
  if (url.protocol === 'http:' && !allowHttp && !isLoopback(url)) {
    throw wrong(
      `Over plain http the key and the codes could be read on the way to ${url.host}.`,
      'Use https, or --allow-http if you know the way.',
    )
  }
  return url
}

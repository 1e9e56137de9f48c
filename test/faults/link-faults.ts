// Faults before a byte of the request has left: no listener, no name, a bad certificate, no tunnel.
import type { Socket } from 'node:net'
import { selfSigned } from '../support/network/client-certificate.ts'
import type { Fault, Line, Pair } from './proxy.ts'

const days = (count: number): Date => new Date(Date.now() + count * 86_400_000)

/** Certificates of the service: for localhost, and for the name that only the proxy knows. */
export const goodPair: Readonly<Record<'https' | 'tunnel', Pair>> = {
  https: selfSigned('localhost'),
  tunnel: selfSigned('orders.test'),
}
const expired = selfSigned('localhost', { from: days(-60), to: days(-30) })
const early = selfSigned('localhost', { from: days(30), to: days(60) })
const elsewhere = selfSigned('elsewhere.test')

/** The certificates that the tests trust. */
export const trusted: readonly string[] = [...Object.values(goodPair), expired, early, elsewhere].map(
  ({ cert }) => cert,
)

const shaking = (play: Pair | ((socket: Socket, pass: Line['pass']) => unknown)): Fault => ({
  at: 'handshake',
  play,
})
const tunnelled = (said: string): Fault => ({
  at: 'tunnel',
  play: (socket) => socket.end(`HTTP/1.1 ${said}\r\ncontent-length: 0\r\n\r\n`),
})
const forEver = Number.POSITIVE_INFINITY

export const linkFaults = {
  'nobody listens': { at: 'listen' },
  'no such name': { at: 'name' },
  'certificate: self-signed': shaking(selfSigned('localhost')),
  'certificate: expired': shaking(expired),
  'certificate: not valid yet': shaking(early),
  'certificate: another host': shaking(elsewhere),
  'no TLS there': shaking((socket) => socket.end('HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n')),
  'handshake: reset': shaking((socket) => socket.resetAndDestroy()),
  'handshake: closed': shaking((socket) => socket.end()),
  'handshake: silence': shaking((_socket, pass) => pass(forEver)),
  'proxy: nobody listens': { at: 'listen' },
  'proxy: 403': tunnelled('403 Forbidden'),
  'proxy: 407, a login': tunnelled(
    '407 Proxy Authentication Required\r\nproxy-authenticate: Basic realm="x"',
  ),
  'proxy: 502': tunnelled('502 Bad Gateway'),
  'proxy: closed': { at: 'tunnel', play: (socket) => socket.end() },
  'proxy: reset': { at: 'tunnel', play: (socket) => socket.resetAndDestroy() },
  'proxy: no HTTP': { at: 'tunnel', play: (socket) => socket.end('SSH-2.0-OpenSSH_9.9\r\n') },
  'proxy: silence': { at: 'tunnel', play: (_socket, pass) => pass(forEver) },
  'proxy: self-signed behind it': shaking(selfSigned('orders.test')),
} satisfies Record<string, Fault>

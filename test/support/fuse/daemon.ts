// Mounts a file system in memory and serves it over FUSE until it is unmounted: node daemon.ts FOLDER TYPE LOCKS.
import { spawnSync } from 'node:child_process'
import { openSync, read, writeSync } from 'node:fs'
import { type Locks, operationsFor } from './operations.ts'

const [folder = '', type = '', locks = 'working'] = process.argv.slice(2)
const operations = operationsFor(locks as Locks)

const device = openSync('/dev/fuse', 'r+')
const options = 'fd=3,rootmode=40000,user_id=0,group_id=0,allow_other,default_permissions'
const mounting = spawnSync('mount', ['-i', '-t', type, '-o', options, 'orderctl-test', folder], {
  stdio: ['ignore', 'ignore', 'pipe', device],
  encoding: 'utf8',
})
if (mounting.status !== 0) throw new Error(`it cannot be mounted: ${mounting.stderr}`)

const errorNumbers = { ENOENT: -2, EEXIST: -17, ENOLCK: -37, ENOSYS: -38, ENOTEMPTY: -39 } as const

const respond = (unique: bigint, reply: Buffer | keyof typeof errorNumbers): void => {
  const [data, error] = typeof reply === 'string' ? [Buffer.alloc(0), errorNumbers[reply]] : [reply, 0]
  const message = Buffer.alloc(16 + data.length)
  message.writeUInt32LE(message.length, 0)
  message.writeInt32LE(error, 4)
  message.writeBigUInt64LE(unique, 8)
  data.copy(message, 16)
  writeSync(device, message)
}

const buffer = Buffer.alloc(1 << 20)

const answer = (length: number): void => {
  const operation = operations.get(buffer.readUInt32LE(4))
  const reply = operation?.({
    node: Number(buffer.readBigUInt64LE(16)),
    uid: buffer.readUInt32LE(24),
    gid: buffer.readUInt32LE(28),
    body: Buffer.from(buffer.subarray(40, length)),
  })
  if (reply === 'none') return
  respond(buffer.readBigUInt64LE(8), reply ?? 'ENOSYS')
}

const serve = (): void =>
  read(device, buffer, 0, buffer.length, null, (error, length) => {
    // The disk was unmounted.
    if (error?.code === 'ENODEV') return
    // Any other error is about a request that is no longer waited for.
    if (error === null) answer(length)
    serve()
  })

serve()
process.stdout.write('mounted\n')

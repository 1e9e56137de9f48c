// What keeps a listener from its address, in words that a person can act on.
import { Failure } from '../../errors.ts'

const fixes = {
  '--host': 'give an address of this machine with --host, such as 127.0.0.1',
  '--port': 'choose another with --port, or --port 0 for any free one',
}

/** An error of `server.listen` as a Failure; one that nobody can act on stays what it is. */
export const listenFailure = (error: NodeJS.ErrnoException, host: string, port: number): Error => {
  const usage = (field: keyof typeof fixes, message: string) =>
    new Failure('usage', message, { fix: fixes[field], field, cause: error })
  switch (error.code) {
    case 'EADDRINUSE':
      return usage('--port', `port ${port} is in use on ${host}`)
    case 'EACCES':
      return usage('--port', `port ${port} is not yours to open on ${host}`)
    case 'EADDRNOTAVAIL':
    case 'EAFNOSUPPORT':
      return usage('--host', `${host} is no address of this machine`)
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return usage('--host', `the host name ${host} cannot be resolved`)
    default:
      return error
  }
}

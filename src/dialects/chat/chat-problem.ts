import { isSessionError, type SessionErrorName } from '../../contract/errors.ts'

/** The statuses for a store's errors; any other error is a 500. */
const statuses: Partial<Record<SessionErrorName, number>> = {
  InvalidInput: 400,
  InvalidPathComponent: 400,
  AccessDenied: 403,
  SessionNotFound: 404,
  ParentMoved: 409,
  OperationConflict: 409,
  AliasConflict: 409,
  TooLarge: 413,
  // Nobody reads this one, because the client has left. The number is nginx's.
  Aborted: 499,
  StorageClosed: 503,
  StorageUnavailable: 503,
  UpgradeBlocked: 503,
  VersionConflict: 503,
  WorkerLost: 503,
  QuotaExceeded: 507,
}

/** The reason why a request is not answered, in the form that the client gets. */
export class Problem extends Error {
  readonly status: number
  override readonly name: string
  readonly headers: Readonly<Record<string, string>>

  constructor(status: number, name: string, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message)
    this.status = status
    this.name = name
    this.headers = headers
  }
}

/** The part of an error that a client may see. Internal errors are reported without details. */
export function problemOf(error: unknown): Problem {
  if (error instanceof Problem) return error
  if (isSessionError(error)) return new Problem(statuses[error.name] ?? 500, error.name, error.message)
  return new Problem(500, 'InternalError', 'The request could not be answered.')
}

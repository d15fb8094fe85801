/** How far a view is. */
export interface ViewStatus {
  /**
   * `loading` until there is a first answer, `ready` with the newest one, `error` when it could not be had. Then `error`
   * says why, and what was shown before stays.
   */
  readonly status: 'loading' | 'ready' | 'error'
  /** Usually a `SessionError`; `undefined` unless the status is `error`. */
  readonly error: unknown
}

export const LOADING: ViewStatus = { status: 'loading', error: undefined }
export const READY: ViewStatus = { status: 'ready', error: undefined }
export const failed = (error: unknown): ViewStatus => ({ status: 'error', error })

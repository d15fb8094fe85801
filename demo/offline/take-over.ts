/** Said by a page to a version of the app that waits to take the place of the one that runs. */
export interface TakeOverMessage {
  readonly type: 'take-over'
}

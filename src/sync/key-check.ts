/** Whether this device may take part with the keys that it has. */
export type KeyCheck =
  /** `record`: to be published before anything else. `notice`: what somebody should know. */
  | { readonly isRight: true; readonly record?: Uint8Array; readonly notice?: string }
  | { readonly isRight: false; readonly message: string }

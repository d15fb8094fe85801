/** Methods that only new browsers have. */
type NewBytes = Uint8Array & { toBase64?(): string }
type NewBytesConstructor = { fromBase64?(text: string): Uint8Array<ArrayBuffer> }

/** How many bytes one call converts. More arguments would overflow the stack. */
const pieceBytes = 8192

export function toBase64(bytes: Uint8Array): string {
  const native = (bytes as NewBytes).toBase64?.()
  if (native !== undefined) return native
  let letters = ''
  for (let at = 0; at < bytes.length; at += pieceBytes)
    letters += String.fromCharCode(...bytes.subarray(at, at + pieceBytes)) // bounded: pieceBytes
  return btoa(letters)
}

/** @throws the browser's own error for text that is not base64 */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  const native = (Uint8Array as NewBytesConstructor).fromBase64?.(text)
  return native ?? Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0))
}

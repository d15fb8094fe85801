/** Whether a key press asks to send the text: Enter sends, Shift + Enter starts a new line. */
export function isSendKey(event: KeyboardEvent): boolean {
  // The Enter that ends a composition (Japanese, Chinese, Korean) does not send. Safari reports it by its key code only.
  const isComposing = event.isComposing || event.keyCode === 229
  return event.key === 'Enter' && !event.shiftKey && !isComposing
}

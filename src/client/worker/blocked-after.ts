/**
 * When it is reported that another tab delays the opening, in milliseconds: earlier than the page gives up, and soon
 * enough for somebody to close that tab.
 */
export const blockedAfter = (timeoutMs: number): number => Math.min(timeoutMs * 0.75, 3000)

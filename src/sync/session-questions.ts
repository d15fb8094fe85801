/** Answers in a row that may change nothing, beyond those to questions from before the last publication. */
const mostAsks = 3
/** How long to wait for an answer before asking again, in milliseconds. */
const nudgeMs = 2000

export interface SessionQuestionsOptions {
  /** Asks the other side what it has. */
  readonly send: () => void
  /** Whether something that arrived is still being processed. */
  readonly isReceiving: () => boolean
  /** Whether answers no longer matter. */
  readonly isOver: () => boolean
  /** Too many answers in a row changed nothing. */
  readonly onGiveUp: () => void
}

/** The questions to the other side about one session, until both sides have the same. */
export interface SessionQuestions {
  /** Whether both sides have not been seen to have the same since the last publication or question. */
  isOpen(): boolean
  /** Asks because something is missing. Limited, or two sides that cannot agree would ask each other for ever. */
  askAgain(): void
  /** Asks about what was just published. */
  askAnew(): void
  /** The last answer was under way too early to know of everything: asks again until there is one that does. */
  expectAnswer(): void
  /** An answer brought something, or something was published: as many questions as before may follow. */
  progress(): void
  /** Both sides have the same. */
  settle(): void
  close(): void
}

export function createSessionQuestions({
  send,
  isReceiving,
  isOver,
  onGiveUp,
}: SessionQuestionsOptions): SessionQuestions {
  let isOpen = true
  let asks = 0
  /** Questions since both sides were last seen to have the same: all of their answers may still be on their way. */
  let earlier = 0
  let nudge: ReturnType<typeof setTimeout> | undefined

  const expectAnswer = (): void => {
    isOpen = true
    nudge ??= setTimeout(() => {
      nudge = undefined
      if (!isOpen || isOver()) return
      if (!isReceiving()) send()
      expectAnswer()
    }, nudgeMs)
  }

  return {
    isOpen: () => isOpen,
    askAgain: () => {
      asks += 1
      if (asks <= mostAsks + earlier) send()
      else onGiveUp()
    },
    askAnew: () => {
      earlier += 1
      send()
      expectAnswer()
    },
    expectAnswer,
    progress: () => {
      asks = 0
    },
    settle: () => {
      isOpen = false
      earlier = 0
    },
    close: () => clearTimeout(nudge),
  }
}

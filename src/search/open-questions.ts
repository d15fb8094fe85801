import { errorOfWire } from '../contract/errors.ts'
import type { SearchHit, SearchProgress, SearchRequest } from '../contract/search.ts'
import type { SearchService } from './create-search-service.ts'
import type { AnswerMessage, AskMessage } from './search-messages.ts'

/** How long the keeper may be silent about a question. A tab that the system has frozen is silent for ever. */
const silenceMs = 1000

interface Question {
  readonly request: SearchRequest
  readonly onProgress: ((progress: SearchProgress) => void) | undefined
  readonly resolve: (hits: readonly SearchHit[]) => void
  readonly reject: (error: unknown) => void
  timer?: ReturnType<typeof setTimeout>
}

/** The searches of this tab that the keeper of the index has not answered. */
export interface OpenQuestions {
  /** Asks the keeper. When it stays silent, this tab searches itself. */
  ask(request: SearchRequest, onProgress?: (progress: SearchProgress) => void): Promise<readonly SearchHit[]>
  /** Asks a new keeper everything again. */
  askAgain(): void
  receive(answer: AnswerMessage): void
  /** This tab became the keeper: it searches itself. */
  answerAll(): void
  rejectAll(error: () => Error): void
}

/**
 * @param me - name of this tab
 * @param send - sends a question to the keeper
 * @param search - searches in this tab
 */
export function createOpenQuestions(
  me: string,
  send: (message: AskMessage) => void,
  search: SearchService['search'],
): OpenQuestions {
  const questions = new Map<number, Question>()
  let lastId = 0

  function answer(id: number, { request, onProgress, resolve, reject, timer }: Question): void {
    clearTimeout(timer)
    questions.delete(id)
    search(request, onProgress).then(resolve, reject)
  }

  function wait(id: number, question: Question): void {
    clearTimeout(question.timer)
    question.timer = setTimeout(() => answer(id, question), silenceMs)
  }

  function askFor(id: number, question: Question): void {
    wait(id, question)
    send({ keepsession: 'ask', from: me, id, request: question.request })
  }

  return {
    ask: (request, onProgress) =>
      new Promise((resolve, reject) => {
        const question: Question = { request, onProgress, resolve, reject }
        questions.set(++lastId, question)
        askFor(lastId, question)
      }),
    askAgain: () => {
      for (const [id, question] of questions) askFor(id, question)
    },
    receive: (message) => {
      const question = questions.get(message.id)
      if (question === undefined) return
      if (message.keepsession === 'searching') {
        if (message.progress !== undefined) question.onProgress?.(message.progress)
        return wait(message.id, question)
      }
      clearTimeout(question.timer)
      questions.delete(message.id)
      if (message.keepsession === 'hits') question.resolve(message.hits)
      else question.reject(errorOfWire(message.error))
    },
    answerAll: () => {
      for (const [id, question] of questions) answer(id, question)
    },
    rejectAll: (error) => {
      for (const { reject, timer } of questions.values()) {
        clearTimeout(timer)
        reject(error())
      }
      questions.clear()
    },
  }
}

import { check, type Constraint } from "../constraints.ts";

/**
 * What a Worker, the scope of one and a MessagePort have in common, those of node:worker_threads included. Which of the
 * two ways to listen there is, is looked at when it is needed, so that nothing of Node has to be imported.
 */
export interface Channel {
  postMessage(message: unknown, transfer: readonly Transferable[]): void;
  /** Node: the listener gets the value itself. */
  on?(event: string, listener: (value: unknown) => void): void;
  /** Elsewhere: an event. */
  addEventListener?(event: string, listener: (event: Event) => void): void;
  /** Of a MessagePort. */
  start?(): void;
  close?(): void;
  /** Of a Worker. */
  terminate?(): void;
}

/** Refuses what one cannot talk over. `must` says what belongs there. */
export function checkChannel(caller: string, argument: string, value: unknown, must: string): Channel {
  const channel: Constraint = {
    must,
    kind: (v) => {
      const { postMessage, on, addEventListener } = Object(v) as Partial<Channel>;
      return [postMessage, on ?? addEventListener].every((method) => typeof method === "function");
    },
  };
  check(caller, argument, value, channel);
  return value as Channel;
}

/** Calls `listener` with every message, or for other events with what describes them. */
export function listen(channel: Channel, event: string, listener: (value: unknown) => void): void {
  if (channel.on) channel.on(event, listener);
  else channel.addEventListener!(event, (e) => listener(event === "message" ? (e as MessageEvent).data : e));
}

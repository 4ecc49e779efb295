// The data of a race, made in a worker: large ones take seconds, in which the page has to hear of Stop.
import { expose, transfer } from "comlink";
import { prototypes } from "../../bench/workloads/prototypes.mjs";

expose({
  make(shape) {
    const { data, labels } = prototypes(shape);
    return transfer({ data, labels }, [data.buffer, labels.buffer]);
  },
});

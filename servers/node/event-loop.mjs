// node-event-loop: jobs run on the event loop itself. Nothing else happens meanwhile.

import { serve } from "./http.mjs";
import { now, run } from "./job.mjs";

serve((job) => run({ job, enqueued: now() }));

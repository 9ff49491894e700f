// The box office: a process of its own, as anybody's server is. It is started with its seed, and says where it listens.
import { BoxOffice } from "@seriatim/workloads";

const office = await BoxOffice.open(Number(process.argv[2]));
process.send?.({ url: office.url });

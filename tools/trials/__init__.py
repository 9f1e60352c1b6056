"""Whether trials tell the truth and leave nothing: planted gains, planted nothings and kills, in guests of the lab."""
